#pragma once

#include <cstdint>

// Field numbers of ONNX's protos, one table per message.
namespace stepscope::onnx {

enum ModelField : uint32_t { kModelGraph = 7 };
enum GraphField : uint32_t {
  kGraphNodes = 1,
  kGraphInitializer = 5,
  kGraphInput = 11,
  kGraphOutput = 12,
  kGraphValueInfo = 13
};
enum NodeField : uint32_t {
  kNodeInput = 1,
  kNodeOutput = 2,
  kNodeName = 3,
  kNodeOpType = 4,
  kNodeAttribute = 5
};
enum AttributeField : uint32_t {
  kAttributeName = 1,
  kAttributeFloat = 2,
  kAttributeInt = 3,
  kAttributeString = 4,
  kAttributeTensor = 5,
  kAttributeGraph = 6,
  kAttributeInts = 8,
  kAttributeStrings = 9
};
enum TensorField : uint32_t {
  kTensorDims = 1,
  kTensorType = 2,
  kTensorInt32Data = 5,
  kTensorInt64Data = 7,
  kTensorName = 8,
  kTensorRawData = 9
};
enum ValueInfoField : uint32_t { kValueName = 1, kValueType = 2 };
enum TypeField : uint32_t { kTypeTensor = 1 };
enum TensorTypeField : uint32_t { kTensorTypeShape = 2 };
enum ShapeField : uint32_t { kOnnxShapeDim = 1 };
enum DimField : uint32_t { kDimValue = 1 };

}  // namespace stepscope::onnx
