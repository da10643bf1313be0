"""Writes a GraphDef of many nodes, without TensorFlow: make_graph.py FILE [NODES]."""
import sys


def varint(value):
  out = bytearray()
  while value >= 128:
    out.append(value & 127 | 128)
    value >>= 7
  out.append(value)
  return bytes(out)


def field(number, data):
  return varint(number * 8 + 2) + varint(len(data)) + data


def shape(*dims):
  return b''.join(field(2, varint(8) + varint(dim)) for dim in dims)


def attr(name, value):
  return field(5, field(1, name) + field(2, value))


def node(name, op, inputs, *attrs):
  return field(1, field(1, name) + field(2, op) + b''.join(field(3, i) for i in inputs) + b''.join(attrs))


def main():
  count = int(sys.argv[2]) if len(sys.argv) > 2 else 200000
  float_type = attr(b'T', varint(6 * 8) + varint(1))
  dtype = attr(b'dtype', varint(6 * 8) + varint(1))
  outputs = attr(b'_output_shapes', field(1, field(7, shape(32, 64))))
  with open(sys.argv[1], 'wb') as file:
    last = b'x'
    file.write(node(b'x', b'Placeholder', [], dtype, outputs))
    for i in range(count // 4):
      scope = b'net/block_%d/layer_%d' % (i // 100, i % 100)
      file.write(node(scope + b'/w', b'VariableV2', [], dtype, attr(b'shape', field(7, shape(64, 64))),
                      attr(b'_output_shapes', field(1, field(7, shape(64, 64))))))
      file.write(node(scope + b'/read', b'Identity', [scope + b'/w'], float_type,
                      attr(b'_output_shapes', field(1, field(7, shape(64, 64))))))
      file.write(node(scope + b'/MatMul', b'MatMul', [last, scope + b'/read'], float_type, outputs))
      file.write(node(scope + b'/Relu', b'Relu', [scope + b'/MatMul'], float_type, outputs))
      last = scope + b'/Relu'


if __name__ == '__main__':
  main()
