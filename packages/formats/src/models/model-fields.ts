import { member, memberAt } from '../json/guards.ts'

/** Members of a call's parameters with the name of its model and nothing else. */
export const MODEL_NAME_FIELDS = [
  'model',
  'model_name',
  'modelName',
  'model_id',
  'modelId',
  'model_path',
  'endpoint_name',
] as const

/** Members of a call's parameters that name its model, in every client that we know; the first that is set counts. */
export const MODEL_FIELDS = [
  ...MODEL_NAME_FIELDS,
  // The name that the user gave to a deployment, which often contains that of the model.
  'deployment_name',
  'azure_deployment',
] as const

/** Metadata of a run that name its model and who serves it; they count before the parameters of the call. */
export const MODEL_METADATA = 'ls_model_name'
export const PROVIDER_METADATA = 'ls_provider'

export interface ModelCallFields {
  /** `extra` of the run: its metadata and its `invocation_params`. */
  readonly extra: unknown
  /** Inputs of a call of a model, which may be the request itself. */
  readonly inputs?: unknown
}

/** The model of a recorded call, as its client names it. */
export function findModelName({ extra, inputs }: ModelCallFields): string | undefined {
  const named = findText(memberAt(extra, 'metadata', MODEL_METADATA))
  return named ?? findModelField(memberAt(extra, 'invocation_params')) ?? findModelField(inputs)
}

/** Who serves the model, as the client names it. */
export function findProviderName(extra: unknown): string | undefined {
  return findText(memberAt(extra, 'metadata', PROVIDER_METADATA))
}

/** The model that a set of parameters names. */
export function findModelField(parameters: unknown): string | undefined {
  const key = findModelKey(parameters)
  return key && findText(member(parameters, key))
}

/** The member of a set of parameters that names the model. */
export function findModelKey(parameters: unknown): (typeof MODEL_FIELDS)[number] | undefined {
  return MODEL_FIELDS.find((field) => findText(member(parameters, field)) !== undefined)
}

/** Whether the text of a payload can name a model: searching is cheaper than parsing. */
export function mentionsModelField(text: string): boolean {
  return FIELD_STARTS.some((start) => text.includes(start))
}

const FIELD_STARTS = [
  '"model',
  ...MODEL_FIELDS.filter((field) => !field.startsWith('model')).map((field) => `"${field}`),
]

function findText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** An attribute of a span that names a model. */
interface ModelAttribute {
  readonly attribute: string
  /** Whether it names the model that the program asked for; the model that responded may have another name. */
  readonly isRequested?: boolean
  /** Models without messages. */
  readonly isOf?: 'embedding' | 'reranker'
}

/** Attributes of spans that name a model, in order; the first that is set has the price. */
export const MODEL_ATTRIBUTES: readonly ModelAttribute[] = [
  { attribute: 'langsmith.metadata.ls_model_name' },
  { attribute: 'gen_ai.response.model' },
  { attribute: 'llm.response.model_name' },
  { attribute: 'ai.response.model' },
  { attribute: 'gen_ai.request.model', isRequested: true },
  { attribute: 'llm.request.model_name', isRequested: true },
  { attribute: 'llm.model_name' },
  { attribute: 'ai.model.id', isRequested: true },
  { attribute: 'embedding.model_name', isOf: 'embedding' },
  { attribute: 'reranker.model_name', isOf: 'reranker' },
  { attribute: 'langfuse.observation.model.name' },
  { attribute: 'mlflow.llm.model' },
  { attribute: 'braintrust.metadata.model' },
  { attribute: 'model' },
]

/** Attributes of spans that name who serves the model, in order. */
export const PROVIDER_ATTRIBUTES: readonly string[] = [
  'langsmith.metadata.ls_provider',
  'gen_ai.provider.name',
  'gen_ai.system',
  'llm.provider',
  'llm.system',
  'ai.model.provider',
  'mlflow.llm.provider',
  'braintrust.metadata.provider',
]
