export {
  type AnonymizerOptions,
  createAnonymizer,
  type ReplacerType,
  type StringNode,
  type StringNodeProcessor,
  type StringNodeRule,
} from './anonymizer/create-anonymizer.ts'
export { createSecretAnonymizer, DEFAULT_SECRET_RULES, SECRET_PLACEHOLDER } from './anonymizer/secret-rules.ts'
