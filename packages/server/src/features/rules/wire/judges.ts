import {
  ApiError,
  EvaluatorDefinition,
  type JudgeMessage,
  type LlmJudgeDefinition,
  ModelParameters,
  type StructuredEvaluator,
} from '@touchstone/contract'
import { type PromptModel, readManifest as readDocument, readSteps } from '@touchstone/contract/prompt-manifest'
import { isRecord } from '@touchstone/formats/guards'
import { listVariables } from '@touchstone/formats/templates'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/serve.ts'
import type { ModelProviderRow } from '../../../storage/relational/tables/model-providers.ts'
import { getCommit, readManifest } from '../../prompts/commits/index.ts'
import { getRepo } from '../../prompts/index.ts'
import { parseOwn, unprocessable } from './problems.ts'
import { resolveModel, toClass, toProviderName } from './providers.ts'
import { readSchema, toSchema } from './schemas.ts'

type Path = readonly (string | number)[]
type JudgeDeps = Pick<Deps, 'relational'>

/** The prompt of a judge, inline or of the prompt hub. */
interface Prompt {
  readonly messages: readonly JudgeMessage[]
  readonly format: 'mustache' | 'f-string'
  readonly schema: unknown
  readonly model: PromptModel | undefined
}

/** The judge of a public client as one that the server runs. @throws ApiError UNPROCESSABLE */
export async function toJudge(
  deps: JudgeDeps,
  caller: Caller,
  structured: StructuredEvaluator,
  path: Path,
): Promise<LlmJudgeDefinition> {
  const prompt = structured.hub_ref == null ? undefined : await readHubPrompt(deps, caller, structured.hub_ref, path)
  const messages = structured.prompt == null ? prompt?.messages : readMessages(structured.prompt, path)
  if (messages === undefined) throw unprocessable([...path, 'prompt'], 'Give a prompt, or the hub_ref of one.')
  const model = structured.model == null ? prompt?.model : readSteps([structured.model]).model
  const { template_format: given } = structured
  const format = given == null ? (prompt?.format ?? guessFormat(messages)) : toFormat(given, path)
  const wanted = { provider: model && toProviderName(model.provider), model: model?.name }
  const judge = {
    kind: 'llm_judge',
    ...(await resolveModel(deps, caller.tenantId, wanted, [...path, 'model'])),
    parameters: toParameters(model?.settings ?? {}),
    messages,
    template_format: format,
    mapping: toMapping(structured.variable_mapping ?? {}, listUsed(messages, format), path),
    ...readSchema(structured.schema ?? prompt?.schema, [...path, 'schema']),
  }
  const definition = parseOwn(EvaluatorDefinition, judge, path)
  if (definition.kind !== 'llm_judge') throw new Error('A judge became a program.')
  return definition
}

const ROLES: Readonly<Record<string, JudgeMessage['role']>> = {
  system: 'system',
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
}

/** Pairs of role and template. @throws ApiError UNPROCESSABLE */
export function readMessages(pairs: readonly (readonly unknown[])[], path: Path): JudgeMessage[] {
  return pairs.map(([role, template], at) => {
    const known = typeof role === 'string' ? ROLES[role.toLowerCase()] : undefined
    if (known === undefined) throw unprocessable([...path, 'prompt', at, 0], 'is none of system, human and ai')
    const content = toText(template)
    if (content === undefined) throw unprocessable([...path, 'prompt', at, 1], 'is no text: judges read texts only')
    return { role: known, content }
  })
}

function toText(template: unknown): string | undefined {
  if (typeof template === 'string') return template
  if (!Array.isArray(template)) return undefined
  const parts: unknown[] = template.map((part) => (isRecord(part) ? part.text : part))
  return parts.every((part) => typeof part === 'string') ? parts.join('') : undefined
}

export const guessFormat = (messages: readonly JudgeMessage[]): Prompt['format'] =>
  messages.some(({ content }) => content.includes('{{')) ? 'mustache' : 'f-string'

function toFormat(given: string, path: Path): Prompt['format'] {
  if (given === 'mustache' || given === 'f-string') return given
  throw unprocessable([...path, 'template_format'], 'is neither mustache nor f-string')
}

export const listUsed = (messages: readonly JudgeMessage[], format: Prompt['format']): ReadonlySet<string> =>
  new Set(messages.flatMap(({ content }) => listVariables(content, format)))

/** Roots of paths, as clients call them, and what they are here. */
const ROOTS: Readonly<Record<string, string>> = {
  input: 'inputs',
  inputs: 'inputs',
  output: 'outputs',
  outputs: 'outputs',
  reference: 'reference_outputs',
  reference_output: 'reference_outputs',
  reference_outputs: 'reference_outputs',
  referenceOutput: 'reference_outputs',
  thread: 'turns',
  all_messages: 'turns',
  human_ai_pairs: 'turns',
  first_human_last_ai: 'turns',
  trajectory: 'steps',
}

/** Paths of a client, and those of variables that are named as a root. @throws ApiError UNPROCESSABLE */
export function toMapping(
  given: Readonly<Record<string, string>>,
  used: ReadonlySet<string>,
  path: Path,
): Record<string, string> {
  const named = [...used].filter((name) => Object.hasOwn(ROOTS, name)).map((name) => [name, ROOTS[name] ?? name])
  const mapped = Object.entries(given).map(([name, of]) => {
    const [, root = '', rest = ''] = /^([A-Za-z_]*)(.*)$/s.exec(of) ?? []
    const own = Object.hasOwn(ROOTS, root) ? ROOTS[root] : undefined
    if (own === undefined) {
      throw unprocessable([...path, 'variable_mapping', name], `"${of}" does not begin with input, output or reference`)
    }
    return [name, own + rest]
  })
  return Object.fromEntries([...named, ...mapped])
}

const CLIENT_ROOTS: readonly (readonly [string, string])[] = [
  ['reference_outputs', 'reference'],
  ['inputs', 'input'],
  ['outputs', 'output'],
  ['turns', 'thread'],
  ['steps', 'trajectory'],
]

function toClientPath(path: string): string {
  const found = CLIENT_ROOTS.find(([root]) => path.startsWith(root))
  return found === undefined ? path : found[1] + path.slice(found[0].length)
}

/** Settings that the server knows; those of a client that it does not know change nothing. */
function toParameters(settings: Readonly<Record<string, unknown>>): ModelParameters | null {
  const known = Object.entries(ModelParameters.shape).flatMap(([name, shape]) => {
    const read = shape.safeParse(settings[name])
    return read.success && read.data != null ? [[name, read.data]] : []
  })
  return known.length === 0 ? null : ModelParameters.parse(Object.fromEntries(known))
}

/** A judge of ours as public clients read it. */
export function toStructured(
  { messages, template_format, mapping, model, parameters, ...answer }: LlmJudgeDefinition,
  provider: ModelProviderRow | undefined,
): Record<string, unknown> {
  const { path, name } = toClass(provider?.provider ?? null)
  const roles = { system: 'system', user: 'human', assistant: 'ai' } as const
  return {
    hub_ref: null,
    model: {
      lc: 1,
      type: 'constructor',
      id: ['langchain', 'chat_models', path, name],
      kwargs: { model, ...parameters },
    },
    playground_settings_id: null,
    prompt: messages.map(({ role, content }) => [roles[role], content]),
    schema: toSchema(answer),
    template_format,
    variable_mapping: Object.fromEntries(Object.entries(mapping).map(([key, of]) => [key, toClientPath(of)])),
  }
}

/** The prompt of `name`, `name:commit` or `owner/name:commit`. @throws ApiError UNPROCESSABLE */
export async function readHubPrompt(deps: JudgeDeps, caller: Caller, reference: string, path: Path): Promise<Prompt> {
  const at = [...path, 'hub_ref']
  const [full = '', commit = ''] = reference.split(':')
  const [owner, repo] = full.includes('/') ? full.split('/') : ['-', full]
  const text = await findManifest(deps, caller, { owner: owner ?? '', repo: repo ?? '' }, commit)
  if (text === undefined)
    throw unprocessable(at, `The workspace has no prompt "${reference}". Create it, or send the prompt itself.`)
  const read = readDocument(JSON.parse(text))
  if ('problem' in read) throw unprocessable(at, `The prompt cannot be read: ${read.problem}`)
  const { messages, schema, model } = read.document
  const formats = new Set(messages.flatMap((message) => (message.kind === 'message' && message.format) || []))
  const [format = 'f-string'] = formats
  if (formats.size > 1 || (format !== 'mustache' && format !== 'f-string')) {
    throw unprocessable(at, 'The prompt needs one template format: mustache or f-string.')
  }
  const pairs = messages.map((message) => {
    if (message.kind !== 'message') throw unprocessable(at, 'The prompt has a part that is no message with a template.')
    return [message.role, message.parts.map((part) => (part.kind === 'text' ? part.text : part))]
  })
  return { messages: readMessages(pairs, at), format, schema, model }
}

async function findManifest(
  deps: JudgeDeps,
  caller: Caller,
  path: { readonly owner: string; readonly repo: string },
  commit: string,
): Promise<string | undefined> {
  try {
    const repo = await getRepo(deps, caller, path)
    const found = await getCommit(deps, repo.row, commit)
    return await readManifest(deps, repo.row.tenant_id, found.id)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}
