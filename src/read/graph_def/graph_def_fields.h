#pragma once

#include <cstdint>

#include "read/protobuf/descriptor.h"

// Field numbers, one table per message, as TensorFlow's .proto files give them.
namespace stepscope::fields {

enum TensorShapeField : uint32_t { kShapeDim = 2, kShapeUnknownRank = 3 };
enum DimField : uint32_t { kDimSize = 1, kDimName = 2 };
enum TensorField : uint32_t {
  kTensorDtype = 1,
  kTensorShape = 2,
  kTensorVersion = 3,
  kTensorContent = 4,
  kTensorFloat = 5,
  kTensorDouble = 6,
  kTensorInt = 7,
  kTensorString = 8,
  kTensorComplex64 = 9,
  kTensorInt64 = 10,
  kTensorBool = 11,
  kTensorComplex128 = 12,
  kTensorHalf = 13,
  kTensorResource = 14,
  kTensorVariant = 15,
  kTensorUint32 = 16,
  kTensorUint64 = 17,
  kTensorFloat8 = 18
};
enum AttrField : uint32_t {
  kAttrList = 1,
  kAttrBytes = 2,
  kAttrInt = 3,
  kAttrFloat = 4,
  kAttrBool = 5,
  kAttrType = 6,
  kAttrShape = 7,
  kAttrTensor = 8,
  kAttrPlaceholder = 9,
  kAttrFunc = 10
};
// ListValue has the same numbers as AttrValue but for the function.
enum ListField : uint32_t { kListFunc = 9 };
enum MapEntryField : uint32_t { kKey = 1, kValue = 2 };
enum NodeField : uint32_t {
  kNodeName = 1,
  kNodeOp = 2,
  kNodeInput = 3,
  kNodeDevice = 4,
  kNodeAttr = 5,
  kNodeDebug = 6,
  kNodeType = 7
};
enum GraphField : uint32_t {
  kGraphNode = 1,
  kGraphLibrary = 2,
  kGraphVersion = 3,
  kGraphVersions = 4,
  kGraphDebug = 5
};
enum VersionsField : uint32_t { kProducer = 1, kMinConsumer = 2, kBadConsumers = 3 };
enum LibraryField : uint32_t { kLibraryFunction = 1, kLibraryGradient = 2 };
enum FunctionField : uint32_t {
  kFunctionSignature = 1,
  kFunctionNode = 3,
  kFunctionRet = 4,
  kFunctionAttr = 5
};
enum OpDefField : uint32_t { kOpDefName = 1 };
enum MetaGraphField : uint32_t {
  kMetaInfo = 1,
  kMetaGraph = 2,
  kMetaSaver = 3,
  kMetaCollection = 4,
  kMetaSignature = 5
};
enum MetaInfoField : uint32_t { kMetaInfoTensorflowVersion = 5 };
enum CollectionField : uint32_t { kCollectionNodes = 1, kCollectionBytes = 2 };
enum ListValueField : uint32_t { kListValue = 1 };
enum VariableField : uint32_t { kVariableName = 1, kVariableTrainable = 7 };
enum SavedModelField : uint32_t { kSavedModelVersion = 1, kSavedModelMetaGraph = 2 };

// For text protobuf.
extern const MessageDescriptor kTensorShapeMessage;
extern const MessageDescriptor kTensorMessage;
extern const MessageDescriptor kAttrValueMessage;
extern const MessageDescriptor kGraphDefMessage;
extern const MessageDescriptor kMetaGraphDefMessage;
extern const MessageDescriptor kSavedModelMessage;
extern const EnumValue kDataTypeValues[65];

}  // namespace stepscope::fields
