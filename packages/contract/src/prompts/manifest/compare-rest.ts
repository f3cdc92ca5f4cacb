import { findModelKey } from '@touchstone/formats/models'
import { canSplit, listVariables } from '@touchstone/formats/templates'
import type { PromptMessage, WrittenMessage } from './document.ts'
import { listSteps, readManifest } from './read-manifest.ts'
import { findModelStep, getBound } from './read-model.ts'
import {
  type Fields,
  isModelName,
  readKwargs,
  readSecret,
  readType,
  SEQUENCES,
  toFields,
  toList,
} from './serialized.ts'

/**
 * What two manifests have beside what their documents show, so that a comparison of the documents hides nothing. What a new
 * message or a new model always brings along is left out. A manifest without a document has no rest.
 */
export function readRests(a: unknown, b: unknown): readonly [Fields, Fields] {
  const [before, after] = [readRest(a), readRest(b)]
  const isShared = (name: string) => before.paths.has(name) && after.paths.has(name)
  const haveModels = before.model !== undefined && after.model !== undefined
  const toFinal = ({ rest, paths, model }: Rest) => {
    const shared = [...paths].filter(([name]) => isShared(name)).sort(([one], [other]) => (one < other ? -1 : 1))
    const written = shared.map(([name, all]) => [name, [...all].sort()] as const)
    return keepFull({ ...rest, ...(haveModels && model), paths: Object.fromEntries(written) })
  }
  return [toFinal(before), toFinal(after)]
}

interface Rest {
  readonly rest: Fields
  /** Facts of the model that each model has. */
  readonly model: Fields | undefined
  /** Modules by class. */
  readonly paths: ReadonlyMap<string, ReadonlySet<string>>
}

function readRest(manifest: unknown): Rest {
  const read = readManifest(manifest)
  if ('problem' in read) return { rest: {}, model: undefined, paths: new Map() }
  const type = readType(manifest) ?? ''
  const isChain = SEQUENCES.has(type)
  const kwargs = readKwargs(manifest)
  const prompt = isChain ? kwargs.first : manifest
  const steps = isChain ? listSteps(kwargs) : []
  const at = findModelStep(steps)
  const step = at === undefined ? undefined : steps[at]
  const messages = toList(readKwargs(prompt).messages)
  return {
    rest: {
      chain: isChain ? leaveChain(manifest, type) : undefined,
      prompt: leavePrompt(prompt, read.document),
      messages: messages.map((message, index) => leaveMessage(message, read.document.messages[index])).filter(isFull),
      model: step === undefined ? {} : leaveModel(step),
      steps: steps.filter((_, index) => index !== at),
    },
    model: step === undefined ? undefined : readModelFacts(step),
    paths: readPaths([manifest, prompt, ...messages, ...messages.flatMap(listTemplates), step, getBound(step)]),
  }
}

function leaveChain(manifest: unknown, type: string): Fields {
  return keepFull({
    ...leave(manifest, ['first', 'middle', 'last']),
    class: type === 'RunnableSequence' ? undefined : type,
  })
}

/** A serialized object without its class and the arguments that are shown. */
function leave(value: unknown, shown: readonly string[]): Fields {
  const { lc, type, id: _, name, kwargs, ...others } = toFields(value)
  const left = Object.entries(toFields(kwargs)).filter(([field]) => !shown.includes(field))
  return keepFull({
    ...(lc !== 1 && { lc }),
    ...(type !== 'constructor' && { type }),
    ...(name !== readType(value) && { name }),
    ...others,
    arguments: keepFull(Object.fromEntries(left)),
  })
}

function keepFull(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isFull(value)))
}

function isFull(value: unknown): boolean {
  if (value === undefined) return false
  return typeof value !== 'object' || value === null || Object.keys(value).length > 0
}

function hasSameNames(names: unknown, expected: readonly string[]): boolean {
  const given = new Set(toList(names))
  return given.size === new Set(expected).size && expected.every((name) => given.has(name))
}

type Shown = Pick<Extract<ReturnType<typeof readManifest>, { document: unknown }>['document'], 'messages' | 'variables'>

function leavePrompt(prompt: unknown, { messages, variables }: Shown): Fields {
  const { input_variables, optional_variables, schema_, structured_output_kwargs, ...kwargs } = readKwargs(prompt)
  const optional = messages.flatMap((one) => (one.kind === 'placeholder' && one.isOptional ? [one.variable] : []))
  const required = variables.filter((name) => !optional.includes(name))
  const isDerived =
    messages.every(isSplit) && (hasSameNames(input_variables, variables) || hasSameNames(input_variables, required))
  const hasSchema = (schema_ ?? kwargs.schema) != null
  const { name } = toFields(structured_output_kwargs)
  return keepFull({
    ...leave(prompt, [
      ...['messages', 'template', 'template_format', 'schema_', 'partial_variables', 'metadata'],
      ...(schema_ == null ? ['schema'] : []),
      ...(hasSchema ? ['structured_output_kwargs'] : []),
      ...(isDerived ? ['input_variables'] : []),
      ...(hasSameNames(optional_variables, optional) ? ['optional_variables'] : []),
    ]),
    ...(hasSchema && { structured_output_name: name }),
  })
}

function isSplit(message: PromptMessage): boolean {
  if (message.kind !== 'message') return message.kind === 'placeholder'
  const { parts, format } = message
  return format === undefined || parts.every((part) => part.kind === 'unknown' || canSplit(part.text, format))
}

function leaveMessage(value: unknown, read: PromptMessage | undefined): Fields {
  const type = readType(value) ?? ''
  if (read === undefined || read.kind === 'unknown') return {}
  if (read.kind === 'placeholder') return leave(value, ['variable_name', 'optional'])
  // The other classes have a role of their own, which is shown.
  const named = /^ChatMessage|^FunctionMessage/.test(type) ? { class: type } : {}
  const shown = ['role', ...(read.name === undefined ? [] : ['name'])]
  if (read.format === undefined) return keepFull({ ...named, ...leaveWritten(value, shown) })
  const templates = listTemplates(value)
    .map((template) => leaveTemplate(template, read))
    .filter(isFull)
  return keepFull({ ...named, ...leave(value, ['prompt', ...shown]), templates })
}

const listTemplates = (message: unknown): unknown[] => [readKwargs(message).prompt ?? []].flat()

function leaveTemplate(value: unknown, { format }: WrittenMessage): Fields {
  const { template, input_variables, partial_variables } = readKwargs(value)
  const { url, detail, ...others } = toFields(template)
  const texts = [template, url, detail].filter((one) => typeof one === 'string')
  const isReadable = format !== undefined && texts.every((text) => canSplit(text, format))
  const used = isReadable ? texts.flatMap((text) => listVariables(text, format)) : []
  const variables = used.filter((name) => !Object.hasOwn(toFields(partial_variables), name))
  const isDerived = isReadable && hasSameNames(input_variables, variables)
  const shown = ['template', 'template_format', 'partial_variables', ...(isDerived ? ['input_variables'] : [])]
  return keepFull({ ...leave(value, shown), image: others })
}

/** Words for roles in the arguments of messages. */
const ROLE_WORDS = new Set(['system', 'human', 'ai', 'tool', 'function', 'chat'])

function leaveWritten(value: unknown, shown: readonly string[]): Fields {
  const { content, type, tool_calls } = readKwargs(value)
  const hasContent = typeof content === 'string' || Array.isArray(content)
  return keepFull({
    ...leave(value, [
      ...shown,
      'tool_call_id',
      ...(hasContent ? ['content'] : []),
      ...(Array.isArray(tool_calls) ? ['tool_calls'] : []),
      ...(typeof type === 'string' && ROLE_WORDS.has(type) ? ['type'] : []),
    ]),
    parts: toList(content).map(leavePart).filter(isFull),
  })
}

/** A part of a type that is not known is shown in full. */
function leavePart(value: unknown): Fields {
  const { type, text, image_url, ...others } = toFields(value)
  if (type === 'text' && typeof text === 'string') return keepFull({ ...others, image_url })
  if (type !== 'image_url') return {}
  const {
    url,
    detail: _,
    ...image
  } = typeof image_url === 'string' ? { url: image_url } : (toFields(image_url) as Fields)
  return typeof url === 'string' ? keepFull({ ...others, text, image }) : {}
}

/** Settings that others override, and what neither the model nor its binding shows. */
function leaveModel(step: unknown): Fields {
  const { config, options, nameField } = readModelFields(step)
  const isHidden = (field: string) =>
    Object.hasOwn(options, field) || (isModelName(field, nameField) && field !== nameField)
  const hidden = Object.entries(config).filter(([field]) => isHidden(field))
  const unused = Object.entries(options).filter(([field]) => isModelName(field, nameField))
  const { tools } = options
  return keepFull({
    ...leave(getBound(step), Object.keys(config)),
    overridden: keepFull(Object.fromEntries(hidden)),
    options: keepFull(Object.fromEntries(unused.filter(([field]) => field !== nameField))),
    tools: Array.isArray(tools) ? undefined : tools,
    binding: getBound(step) === step ? undefined : leave(step, ['bound', 'kwargs']),
  })
}

function readModelFacts(step: unknown): Fields {
  const { config, options, nameField } = readModelFields(step)
  const entries = Object.entries({ ...config, ...options })
  const secrets = entries.filter(([, value]) => readSecret(value) !== undefined)
  return { secrets: Object.fromEntries(secrets), name_field: nameField === 'model' ? undefined : nameField }
}

function readModelFields(step: unknown) {
  const bound = getBound(step)
  const config = readKwargs(bound)
  const options = bound === step ? {} : toFields(readKwargs(step).kwargs)
  const merged: Fields = { ...config, ...options }
  const nameField = findModelKey(merged)
  return { config, options, nameField }
}

function readPaths(values: readonly unknown[]): Map<string, Set<string>> {
  const paths = new Map<string, Set<string>>()
  for (const value of values) {
    const type = readType(value)
    if (type === undefined) continue
    const path = toList(toFields(value).id).slice(0, -1).map(String).join('.')
    paths.set(type, (paths.get(type) ?? new Set()).add(path))
  }
  return paths
}
