export {
  findModelField,
  findModelKey,
  findModelName,
  findProviderName,
  MODEL_ATTRIBUTES,
  MODEL_FIELDS,
  MODEL_METADATA,
  MODEL_NAME_FIELDS,
  mentionsModelField,
  PROVIDER_ATTRIBUTES,
  PROVIDER_METADATA,
} from './model-fields.ts'
export { findHost, MAX_MODEL_LENGTH, type ModelNames, readModelNames } from './model-names.ts'
