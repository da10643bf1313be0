"""Makes the ONNX models of tests/onnx and what ONNX's own shape inference says of them: make_onnx.py FOLDER.

For each model two files: NAME.onnx without any shape inside the graph, NAME.json with {value: shape} (null: unknown).
"""
import json
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, shape_inference


def weight(name, *shape):
  return numpy_helper.from_array(np.zeros(shape, np.float32), name)


def ints(name, *values):
  return numpy_helper.from_array(np.array(values, np.int64), name)


def conv_net():
  nodes = [
      helper.make_node('Conv', ['x', 'w1'], ['c1'], name='conv1', kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
      helper.make_node('BatchNormalization', ['c1', 'g', 'b', 'm', 'v'], ['n1'], name='norm1'),
      helper.make_node('Relu', ['n1'], ['r1'], name='relu1'),
      helper.make_node('MaxPool', ['r1'], ['p1'], name='pool1', kernel_shape=[2, 2], strides=[2, 2]),
      helper.make_node('Conv', ['p1', 'w2'], ['c2'], name='conv2', kernel_shape=[1, 1]),
      helper.make_node('Add', ['c2', 'p1'], ['a2'], name='residual'),
      helper.make_node('GlobalAveragePool', ['a2'], ['q'], name='mean'),
      helper.make_node('Flatten', ['q'], ['f'], name='flat'),
      helper.make_node('Gemm', ['f', 'w3', 'b3'], ['y'], name='fc', transB=1),
  ]
  weights = [weight('w1', 8, 3, 3, 3), weight('g', 8), weight('b', 8), weight('m', 8), weight('v', 8),
             weight('w2', 8, 8, 1, 1), weight('w3', 10, 8), weight('b3', 10)]
  return helper.make_graph(nodes, 'conv_net', [helper.make_tensor_value_info('x', TensorProto.FLOAT, ['batch', 3, 32, 32])],
                           [helper.make_tensor_value_info('y', TensorProto.FLOAT, None)], weights)


def attention():
  nodes = [
      helper.make_node('Gather', ['table', 'tokens'], ['e'], name='embed'),
      helper.make_node('MatMul', ['e', 'wq'], ['q'], name='query'),
      helper.make_node('MatMul', ['e', 'wk'], ['k'], name='key'),
      helper.make_node('Transpose', ['k'], ['kt'], name='turn', perm=[0, 2, 1]),
      helper.make_node('MatMul', ['q', 'kt'], ['s'], name='scores'),
      helper.make_node('Softmax', ['s'], ['p'], name='prob'),
      helper.make_node('MatMul', ['p', 'e'], ['o'], name='mix'),
      helper.make_node('Reshape', ['o', 'flat'], ['r'], name='flatten'),
      helper.make_node('Unsqueeze', ['r', 'one'], ['u'], name='grow'),
      helper.make_node('Concat', ['u', 'u'], ['d'], name='double', axis=1),
      helper.make_node('ReduceMean', ['d', 'axes'], ['z'], name='reduce', keepdims=0),
  ]
  weights = [weight('table', 100, 16), weight('wq', 16, 16), weight('wk', 16, 16), ints('flat', 0, -1), ints('one', 1),
             ints('axes', 1)]
  return helper.make_graph(nodes, 'attention', [helper.make_tensor_value_info('tokens', TensorProto.INT64, [4, 12])],
                           [helper.make_tensor_value_info('z', TensorProto.FLOAT, None)], weights)


def shape_of(value):
  tensor = value.type.tensor_type
  if not tensor.HasField('shape'):
    return None
  return [dim.dim_value if dim.HasField('dim_value') else -1 for dim in tensor.shape.dim]


def main():
  for make in (conv_net, attention):
    model = helper.make_model(make(), opset_imports=[helper.make_opsetid('', 18)], ir_version=8, producer_name='stepscope')
    name = sys.argv[1] + '/' + make.__name__
    onnx.save(model, name + '.onnx')
    inferred = shape_inference.infer_shapes(model).graph
    answers = {value.name: shape_of(value) for value in list(inferred.value_info) + list(inferred.output)}
    with open(name + '.json', 'w') as file:
      json.dump(answers, file, indent=1, sort_keys=True)


if __name__ == '__main__':
  main()
