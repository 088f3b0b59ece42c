#!/usr/bin/env python3
"""compare_protos.py OURS.binpb THEIRS.binpb [--self-test]

Compares two FileDescriptorSets by full message and enum names. Every message of ours that is also
in theirs must have the same fields (number, name, type, label, packing, oneof) and every enum the
same values; names of ours in the package tensorflow that they lack are faults, too.
--self-test: damages a copy of OURS in several ways and expects each to be found.
"""
import sys

from google.protobuf import descriptor_pb2 as pb

Field = pb.FieldDescriptorProto
UNPACKABLE = (Field.TYPE_STRING, Field.TYPE_BYTES, Field.TYPE_MESSAGE, Field.TYPE_GROUP)


def load(path):
    with open(path, "rb") as file:
        return pb.FileDescriptorSet.FromString(file.read())


def field_facts(message, field, proto3):
    repeated = field.label == Field.LABEL_REPEATED
    packed = None
    if repeated and field.type not in UNPACKABLE:
        packed = field.options.packed if field.options.HasField("packed") else proto3
    oneof = None
    if field.HasField("oneof_index") and not field.proto3_optional:
        oneof = message.oneof_decl[field.oneof_index].name
    return (field.name, field.type, field.type_name, repeated, packed, oneof)


def facts(descriptors):
    """Full name -> {number or value name: facts}."""
    found = {}

    def add_enum(enum, prefix):
        found[prefix + enum.name] = {value.name: value.number for value in enum.value}

    def add_message(message, prefix, proto3):
        name = prefix + message.name
        found[name] = {field.number: field_facts(message, field, proto3)
                       for field in message.field}
        found[name]["map entry"] = message.options.map_entry
        for enum in message.enum_type:
            add_enum(enum, name + ".")
        for nested in message.nested_type:
            add_message(nested, name + ".", proto3)

    for file in descriptors.file:
        prefix = file.package + "." if file.package else ""
        for enum in file.enum_type:
            add_enum(enum, prefix)
        for message in file.message_type:
            add_message(message, prefix, file.syntax == "proto3")
    return found


def differences(ours, theirs):
    lines, compared = [], 0
    for name, members in sorted(ours.items()):
        if name not in theirs:
            if name.startswith("tensorflow."):
                lines.append(f"{name}: unknown to TensorFlow")
            continue
        compared += 1
        for key in sorted(set(members) | set(theirs[name]), key=str):
            mine, right = members.get(key), theirs[name].get(key)
            if mine != right:
                lines.append(f"{name} {key}: ours {mine}, right is {right}")
    return lines, compared


def self_test(ours, theirs):
    def damage(change):
        copy = pb.FileDescriptorSet()
        copy.CopyFrom(ours)
        files = {file.name.rsplit("/", 1)[-1]: file for file in copy.file}
        change(files)
        return differences(facts(copy), theirs)[0]

    def swap_number(files):
        files["node_def.proto"].message_type[0].field[0].number = 99

    def drop_field(files):
        del files["graph.proto"].message_type[0].field[0]

    def change_type(files):
        files["versions.proto"].message_type[0].field[0].type = Field.TYPE_INT64

    def unpack(files):
        files["tensor.proto"].message_type[0].field[4].options.packed = False

    def change_enum(files):
        files["types.proto"].enum_type[0].value[3].number = 1000

    changes = (swap_number, drop_field, change_type, unpack, change_enum)
    missed = [change.__name__ for change in changes if not damage(change)]
    print("self-test:", f"not found: {missed}" if missed else f"{len(changes)} faults found")
    return 1 if missed else 0


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    ours, theirs = load(sys.argv[1]), facts(load(sys.argv[2]))
    if "--self-test" in sys.argv:
        return self_test(ours, theirs)
    lines, compared = differences(facts(ours), theirs)
    print("\n".join(lines + [f"{compared} messages and enums compared, {len(lines)} differences"]))
    return 1 if lines or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
