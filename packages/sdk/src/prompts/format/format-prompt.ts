import { toRole } from '@touchstone/formats/messages'
import { isObject } from '../../guards.ts'
import type { KVMap, PromptCommit } from '../../schemas.ts'
import {
  getClassName,
  getOwn,
  type PromptMessage,
  type PromptPart,
  readMessage,
  readPart,
  type Scope,
  toImagePart,
  toText,
} from './messages.ts'
import { formatFString, formatMustache } from './templates.ts'

export interface FormattedPrompt {
  messages: PromptMessage[]
  /** JSON Schema of the answer, for a structured prompt. */
  schema?: KVMap | undefined
}

/** Values by name; a placeholder takes a list of messages. */
export type PromptVariables = Readonly<Record<string, unknown>>

/**
 * Formats the messages of a pulled prompt with variables, without any framework. The manifest is read as data: no class
 * that it names is loaded, and templates can only insert values into text.
 *
 * @param prompt the result of `pullPromptCommit`, or its manifest; for a prompt with a model, its prompt is used
 * @throws Error for a variable without a value, and for unsupported kinds of prompts and templates (few-shot, jinja2)
 */
export function formatPrompt(prompt: PromptCommit | KVMap, variables: PromptVariables = {}): FormattedPrompt {
  const manifest = getOwn(prompt, 'commit_hash') === undefined ? prompt : getOwn(prompt, 'manifest')
  return formatManifest(manifest, [variables])
}

function formatManifest(manifest: unknown, scope: Scope): FormattedPrompt {
  const kwargs = getOwn(manifest, 'kwargs')
  const kind = getClassName(manifest)
  switch (kind) {
    case 'RunnableSequence':
    case 'PromptPlayground':
      return formatManifest(getOwn(kwargs, 'first'), scope)
    case 'RunnableBinding':
      return formatManifest(getOwn(kwargs, 'bound'), scope)
    case 'PromptTemplate':
      return { messages: [{ role: 'user', content: formatText(manifest, scope) }] }
    case 'ChatPromptTemplate':
    case 'StructuredPrompt': {
      const schema = getOwn(kwargs, 'schema_') ?? getOwn(kwargs, 'schema')
      return { messages: formatMessages(kwargs, scope), ...(isObject(schema) && { schema }) }
    }
    default:
      throw new Error(`A manifest of the kind ${kind ?? 'without an id'} is not supported.`)
  }
}

function formatMessages(kwargs: unknown, outer: Scope): PromptMessage[] {
  const messages = getOwn(kwargs, 'messages')
  if (!Array.isArray(messages)) throw new Error('A chat prompt has no messages.')
  const scope = addPartials(kwargs, outer)
  return messages.flatMap((message) => formatMessage(message, scope))
}

/** Variables preset in the prompt; the caller's values take precedence. */
function addPartials(kwargs: unknown, scope: Scope): Scope {
  return [getOwn(kwargs, 'partial_variables'), ...scope]
}

const TEMPLATES: ReadonlyMap<string, string> = new Map([
  ['SystemMessagePromptTemplate', 'system'],
  ['HumanMessagePromptTemplate', 'user'],
  ['AIMessagePromptTemplate', 'assistant'],
])

function formatMessage(message: unknown, scope: Scope): PromptMessage[] {
  const kind = getClassName(message) ?? ''
  const kwargs = getOwn(message, 'kwargs')
  if (kind === 'MessagesPlaceholder') return formatPlaceholder(kwargs, scope)
  if (kind === 'ChatPromptTemplate') return formatMessages(kwargs, scope)
  if (kind === 'ChatMessagePromptTemplate') {
    return [
      {
        role: toRole(toText(getOwn(kwargs, 'role') ?? 'user')),
        content: formatContent(getOwn(kwargs, 'prompt'), scope),
      },
    ]
  }
  const role = TEMPLATES.get(kind)
  if (role) return [{ role, content: formatContent(getOwn(kwargs, 'prompt'), scope) }]
  if (/Message(Chunk)?$/.test(kind)) return [readMessage(message)]
  throw new Error(`A message of the kind ${kind || 'without an id'} is not supported.`)
}

function formatPlaceholder(kwargs: unknown, scope: Scope): PromptMessage[] {
  const name = toText(getOwn(kwargs, 'variable_name') ?? '')
  const value = scope.map((values) => getOwn(values, name)).findLast((found) => found !== undefined)
  if (value === undefined && getOwn(kwargs, 'optional') === true) return []
  if (!Array.isArray(value)) throw new Error(`Missing list of messages for the placeholder "${name}".`)
  const most = getOwn(kwargs, 'n_messages')
  const kept = typeof most === 'number' && most > 0 ? value.slice(-most) : value
  // LangChain messages are class instances; serialization turns them into the plain data that is read here.
  return (JSON.parse(JSON.stringify(kept)) as unknown[]).map(readMessage)
}

/** One template becomes a text, several become parts. */
function formatContent(prompt: unknown, scope: Scope): string | PromptPart[] {
  return Array.isArray(prompt) ? prompt.map((part) => formatPart(part, scope)) : formatText(prompt, scope)
}

function formatPart(part: unknown, outer: Scope): PromptPart {
  const kind = getClassName(part)
  const kwargs = getOwn(part, 'kwargs')
  if (kind === 'ImagePromptTemplate') {
    const image = renderAll(getOwn(kwargs, 'template'), kwargs, addPartials(kwargs, outer))
    const url = typeof image === 'string' ? image : getOwn(image, 'url')
    if (typeof url === 'string') return toImagePart(url, getOwn(image, 'detail'))
    throw new Error('An image of a prompt has no URL.')
  }
  if (kind === 'DictPromptTemplate') return readPart(renderAll(getOwn(kwargs, 'template'), kwargs, outer))
  return { type: 'text', text: formatText(part, outer) }
}

/** Renders every text in a structure as a template. */
function renderAll(value: unknown, kwargs: unknown, scope: Scope): unknown {
  if (typeof value === 'string') return render(value, kwargs, scope)
  if (Array.isArray(value)) return value.map((item) => renderAll(item, kwargs, scope))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderAll(item, kwargs, scope)]))
}

function formatText(prompt: unknown, outer: Scope): string {
  const kwargs = getOwn(prompt, 'kwargs')
  const template = getOwn(kwargs, 'template')
  if (getClassName(prompt) === 'PromptTemplate' && typeof template === 'string') {
    return render(template, kwargs, addPartials(kwargs, outer))
  }
  throw new Error(`A template of the kind ${getClassName(prompt) ?? 'without an id'} is not supported.`)
}

function render(template: string, kwargs: unknown, scope: Scope): string {
  const format = getOwn(kwargs, 'template_format') ?? 'f-string'
  if (format === 'f-string') return formatFString(template, scope)
  if (format === 'mustache') return formatMustache(template, scope)
  throw new Error(`Templates of the format ${toText(format)} are not supported.`)
}
