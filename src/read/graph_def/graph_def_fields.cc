#include "read/graph_def/graph_def_fields.h"

namespace stepscope::fields {

using enum FieldType;

const EnumValue kDataTypeValues[65] = {
#define STEPSCOPE_TYPE(name, number) {"DT_" #name, (number)}, {"DT_" #name "_REF", (number) + 100}
    {"DT_INVALID", 0},
    STEPSCOPE_TYPE(FLOAT, 1),
    STEPSCOPE_TYPE(DOUBLE, 2),
    STEPSCOPE_TYPE(INT32, 3),
    STEPSCOPE_TYPE(UINT8, 4),
    STEPSCOPE_TYPE(INT16, 5),
    STEPSCOPE_TYPE(INT8, 6),
    STEPSCOPE_TYPE(STRING, 7),
    STEPSCOPE_TYPE(COMPLEX64, 8),
    STEPSCOPE_TYPE(INT64, 9),
    STEPSCOPE_TYPE(BOOL, 10),
    STEPSCOPE_TYPE(QINT8, 11),
    STEPSCOPE_TYPE(QUINT8, 12),
    STEPSCOPE_TYPE(QINT32, 13),
    STEPSCOPE_TYPE(BFLOAT16, 14),
    STEPSCOPE_TYPE(QINT16, 15),
    STEPSCOPE_TYPE(QUINT16, 16),
    STEPSCOPE_TYPE(UINT16, 17),
    STEPSCOPE_TYPE(COMPLEX128, 18),
    STEPSCOPE_TYPE(HALF, 19),
    STEPSCOPE_TYPE(RESOURCE, 20),
    STEPSCOPE_TYPE(VARIANT, 21),
    STEPSCOPE_TYPE(UINT32, 22),
    STEPSCOPE_TYPE(UINT64, 23),
    STEPSCOPE_TYPE(FLOAT8_E5M2, 24),
    STEPSCOPE_TYPE(FLOAT8_E4M3FN, 25),
    STEPSCOPE_TYPE(FLOAT8_E4M3FNUZ, 26),
    STEPSCOPE_TYPE(FLOAT8_E4M3B11FNUZ, 27),
    STEPSCOPE_TYPE(FLOAT8_E5M2FNUZ, 28),
    STEPSCOPE_TYPE(INT4, 29),
    STEPSCOPE_TYPE(UINT4, 30),
    STEPSCOPE_TYPE(INT2, 31),
    STEPSCOPE_TYPE(UINT2, 32),
#undef STEPSCOPE_TYPE
};

namespace {

constexpr FieldDescriptor kDimFields[] = {{"size", kDimSize, kInteger}, {"name", kDimName, kBytes}};
const MessageDescriptor kDimMessage{"Dim", kDimFields};

const FieldDescriptor kTensorShapeFields[] = {{"dim", kShapeDim, kMessage, &kDimMessage},
                                              {"unknown_rank", kShapeUnknownRank, kBool}};

const FieldDescriptor kTensorFields[] = {
    {"dtype", kTensorDtype, kEnum, nullptr, kDataTypeValues},
    {"tensor_shape", kTensorShape, kMessage, &kTensorShapeMessage},
    {"version_number", kTensorVersion, kInteger},
    {"tensor_content", kTensorContent, kBytes},
    {"float_val", kTensorFloat, kFloat},
    {"double_val", kTensorDouble, kDouble},
    {"int_val", kTensorInt, kInteger},
    {"string_val", kTensorString, kBytes},
    {"scomplex_val", kTensorComplex64, kFloat},
    {"int64_val", kTensorInt64, kInteger},
    {"bool_val", kTensorBool, kBool},
    {"dcomplex_val", kTensorComplex128, kDouble},
    {"half_val", kTensorHalf, kInteger},
    {"uint32_val", kTensorUint32, kInteger},
    {"uint64_val", kTensorUint64, kInteger},
    {"float8_val", kTensorFloat8, kBytes},
};

const FieldDescriptor kAttrEntryFields[] = {{"key", kKey, kBytes},
                                            {"value", kValue, kMessage, &kAttrValueMessage}};
const MessageDescriptor kAttrEntryMessage{"attr", kAttrEntryFields};

const FieldDescriptor kNameAttrListFields[] = {{"name", 1, kBytes},
                                               {"attr", 2, kMessage, &kAttrEntryMessage}};
const MessageDescriptor kNameAttrListMessage{"NameAttrList", kNameAttrListFields};

const FieldDescriptor kListValueFields[] = {
    {"s", kAttrBytes, kBytes},
    {"i", kAttrInt, kInteger},
    {"f", kAttrFloat, kFloat},
    {"b", kAttrBool, kBool},
    {"type", kAttrType, kEnum, nullptr, kDataTypeValues},
    {"shape", kAttrShape, kMessage, &kTensorShapeMessage},
    {"tensor", kAttrTensor, kMessage, &kTensorMessage},
    {"func", kListFunc, kMessage, &kNameAttrListMessage},
};
const MessageDescriptor kListValueMessage{"ListValue", kListValueFields};

const FieldDescriptor kAttrValueFields[] = {
    {"list", kAttrList, kMessage, &kListValueMessage},
    {"s", kAttrBytes, kBytes},
    {"i", kAttrInt, kInteger},
    {"f", kAttrFloat, kFloat},
    {"b", kAttrBool, kBool},
    {"type", kAttrType, kEnum, nullptr, kDataTypeValues},
    {"shape", kAttrShape, kMessage, &kTensorShapeMessage},
    {"tensor", kAttrTensor, kMessage, &kTensorMessage},
    {"placeholder", kAttrPlaceholder, kBytes},
    {"func", kAttrFunc, kMessage, &kNameAttrListMessage},
};

constexpr FieldDescriptor kDebugFields[] = {{"original_node_names", 1, kBytes},
                                            {"original_func_names", 2, kBytes}};
const MessageDescriptor kDebugMessage{"ExperimentalDebugInfo", kDebugFields};

const FieldDescriptor kNodeFields[] = {
    {"name", kNodeName, kBytes},
    {"op", kNodeOp, kBytes},
    {"input", kNodeInput, kBytes},
    {"device", kNodeDevice, kBytes},
    {"attr", kNodeAttr, kMessage, &kAttrEntryMessage},
    {"experimental_debug_info", kNodeDebug, kMessage, &kDebugMessage},
};
const MessageDescriptor kNodeMessage{"NodeDef", kNodeFields};

constexpr FieldDescriptor kVersionsFields[] = {{"producer", kProducer, kInteger},
                                               {"min_consumer", kMinConsumer, kInteger},
                                               {"bad_consumers", kBadConsumers, kInteger}};
const MessageDescriptor kVersionsMessage{"VersionDef", kVersionsFields};

constexpr FieldDescriptor kOpDefFields[] = {{"name", kOpDefName, kBytes}};
const MessageDescriptor kOpDefMessage{"OpDef", kOpDefFields};
const FieldDescriptor kFunctionFields[] = {
    {"signature", kFunctionSignature, kMessage, &kOpDefMessage},
    {"node_def", kFunctionNode, kMessage, &kNodeMessage},
    {"attr", kFunctionAttr, kMessage, &kAttrEntryMessage}};
const MessageDescriptor kFunctionMessage{"FunctionDef", kFunctionFields};
const FieldDescriptor kLibraryFields[] = {
    {"function", kLibraryFunction, kMessage, &kFunctionMessage}};
const MessageDescriptor kLibraryMessage{"FunctionDefLibrary", kLibraryFields};

const FieldDescriptor kGraphFields[] = {
    {"node", kGraphNode, kMessage, &kNodeMessage},
    {"library", kGraphLibrary, kMessage, &kLibraryMessage},
    {"version", kGraphVersion, kInteger},
    {"versions", kGraphVersions, kMessage, &kVersionsMessage},
};

constexpr FieldDescriptor kValueListFields[] = {{"value", kListValue, kBytes}};
const MessageDescriptor kValueListMessage{"list", kValueListFields};
const FieldDescriptor kCollectionFields[] = {
    {"node_list", kCollectionNodes, kMessage, &kValueListMessage},
    {"bytes_list", kCollectionBytes, kMessage, &kValueListMessage}};
const MessageDescriptor kCollectionMessage{"CollectionDef", kCollectionFields};
const FieldDescriptor kCollectionEntryFields[] = {{"key", kKey, kBytes},
                                                  {"value", kValue, kMessage, &kCollectionMessage}};
const MessageDescriptor kCollectionEntryMessage{"collection_def", kCollectionEntryFields};
constexpr FieldDescriptor kMetaInfoFields[] = {
    {"tensorflow_version", kMetaInfoTensorflowVersion, kBytes}};
const MessageDescriptor kMetaInfoMessage{"MetaInfoDef", kMetaInfoFields};
const FieldDescriptor kMetaGraphFields[] = {
    {"meta_info_def", kMetaInfo, kMessage, &kMetaInfoMessage},
    {"graph_def", kMetaGraph, kMessage, &kGraphDefMessage},
    {"collection_def", kMetaCollection, kMessage, &kCollectionEntryMessage}};
const FieldDescriptor kSavedModelFields[] = {
    {"saved_model_schema_version", kSavedModelVersion, kInteger},
    {"meta_graphs", kSavedModelMetaGraph, kMessage, &kMetaGraphDefMessage}};

}  // namespace

const MessageDescriptor kTensorShapeMessage{"TensorShapeProto", kTensorShapeFields};
const MessageDescriptor kTensorMessage{"TensorProto", kTensorFields};
const MessageDescriptor kAttrValueMessage{"AttrValue", kAttrValueFields};
const MessageDescriptor kGraphDefMessage{"GraphDef", kGraphFields};
const MessageDescriptor kMetaGraphDefMessage{"MetaGraphDef", kMetaGraphFields};
const MessageDescriptor kSavedModelMessage{"SavedModel", kSavedModelFields};

}  // namespace stepscope::fields
