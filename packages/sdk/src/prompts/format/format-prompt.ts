import type { KVMap, PromptCommit } from '../../schemas.ts'
import { formatFString } from './f-string.ts'
import type { PromptMessage, PromptPart } from './messages.ts'
import { formatMustache } from './mustache.ts'
import { classOf, imagePart, readMessage, readPart, roleOf } from './read-message.ts'
import { own, type Scope, textOf } from './values.ts'

export interface FormattedPrompt {
  messages: PromptMessage[]
  /** JSON Schema of the answer that a structured prompt asks for. */
  schema?: KVMap | undefined
}

/** Values by name; a placeholder takes a list of messages. */
export type PromptVariables = Readonly<Record<string, unknown>>

/**
 * The messages of a pulled prompt with its variables filled in, without any framework. The manifest is read as data: no
 * class that it names is looked up, no template can do more than put values into text.
 *
 * @param prompt what `pullPromptCommit` gives, or its manifest; of a prompt with a model, the prompt
 * @throws Error for a variable without a value, and for kinds of prompts and templates (few-shot, jinja2) that need more
 */
export function formatPrompt(prompt: PromptCommit | KVMap, variables: PromptVariables = {}): FormattedPrompt {
  const manifest = own(prompt, 'commit_hash') === undefined ? prompt : own(prompt, 'manifest')
  return formatManifest(manifest, [variables])
}

function formatManifest(manifest: unknown, scope: Scope): FormattedPrompt {
  const kwargs = own(manifest, 'kwargs')
  const kind = classOf(manifest)
  switch (kind) {
    case 'RunnableSequence':
    case 'PromptPlayground':
      return formatManifest(own(kwargs, 'first'), scope)
    case 'RunnableBinding':
      return formatManifest(own(kwargs, 'bound'), scope)
    case 'PromptTemplate':
      return { messages: [{ role: 'user', content: formatText(manifest, scope) }] }
    case 'ChatPromptTemplate':
    case 'StructuredPrompt': {
      const schema = own(kwargs, 'schema_') ?? own(kwargs, 'schema')
      const isSchema = typeof schema === 'object' && schema !== null
      return { messages: messagesOf(kwargs, scope), ...(isSchema && { schema: schema as KVMap }) }
    }
    default:
      throw new Error(`A manifest of the kind ${kind ?? 'without an id'} is not formatted here.`)
  }
}

function messagesOf(kwargs: unknown, outer: Scope): PromptMessage[] {
  const messages = own(kwargs, 'messages')
  if (!Array.isArray(messages)) throw new Error('A chat prompt has no messages.')
  const scope = withPartials(kwargs, outer)
  return messages.flatMap((message) => expand(message, scope))
}

/** What a prompt has filled in beforehand; the caller's values go first. */
function withPartials(kwargs: unknown, scope: Scope): Scope {
  return [own(kwargs, 'partial_variables'), ...scope]
}

const TEMPLATES: Readonly<Record<string, string>> = {
  SystemMessagePromptTemplate: 'system',
  HumanMessagePromptTemplate: 'user',
  AIMessagePromptTemplate: 'assistant',
}

function expand(message: unknown, scope: Scope): PromptMessage[] {
  const kind = classOf(message) ?? ''
  const kwargs = own(message, 'kwargs')
  if (kind === 'MessagesPlaceholder') return placed(kwargs, scope)
  if (kind === 'ChatPromptTemplate') return messagesOf(kwargs, scope)
  if (kind === 'ChatMessagePromptTemplate') {
    return [{ role: roleOf(textOf(own(kwargs, 'role') ?? 'user')), content: contentOf(own(kwargs, 'prompt'), scope) }]
  }
  if (Object.hasOwn(TEMPLATES, kind)) {
    return [{ role: TEMPLATES[kind]!, content: contentOf(own(kwargs, 'prompt'), scope) }]
  }
  if (/Message(Chunk)?$/.test(kind)) return [readMessage(message)]
  throw new Error(`A message of the kind ${kind || 'without an id'} is not formatted here.`)
}

function placed(kwargs: unknown, scope: Scope): PromptMessage[] {
  const name = textOf(own(kwargs, 'variable_name') ?? '')
  const value = scope.map((values) => own(values, name)).findLast((found) => found !== undefined)
  if (value === undefined && own(kwargs, 'optional') === true) return []
  if (!Array.isArray(value)) throw new Error(`Missing list of messages for the placeholder "${name}".`)
  const most = own(kwargs, 'n_messages')
  const kept = typeof most === 'number' && most > 0 ? value.slice(-most) : value
  // Messages of LangChain are objects of classes; written down, they are the data that is read here.
  return (JSON.parse(JSON.stringify(kept)) as unknown[]).map(readMessage)
}

/** One template is a text, several are parts. */
function contentOf(prompt: unknown, scope: Scope): string | PromptPart[] {
  return Array.isArray(prompt) ? prompt.map((part) => partOf(part, scope)) : formatText(prompt, scope)
}

function partOf(part: unknown, outer: Scope): PromptPart {
  const kind = classOf(part)
  const kwargs = own(part, 'kwargs')
  if (kind === 'ImagePromptTemplate') {
    const image = fill(own(kwargs, 'template'), kwargs, withPartials(kwargs, outer))
    const url = typeof image === 'string' ? image : own(image, 'url')
    if (typeof url === 'string') return imagePart(url, own(image, 'detail'))
    throw new Error('An image of a prompt has no URL.')
  }
  if (kind === 'DictPromptTemplate') return readPart(fill(own(kwargs, 'template'), kwargs, outer))
  return { type: 'text', text: formatText(part, outer) }
}

/** Every text in a structure is a template. */
function fill(value: unknown, kwargs: unknown, scope: Scope): unknown {
  if (typeof value === 'string') return render(value, kwargs, scope)
  if (Array.isArray(value)) return value.map((item) => fill(item, kwargs, scope))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, kwargs, scope)]))
}

function formatText(prompt: unknown, outer: Scope): string {
  const kwargs = own(prompt, 'kwargs')
  const template = own(kwargs, 'template')
  if (classOf(prompt) === 'PromptTemplate' && typeof template === 'string') {
    return render(template, kwargs, withPartials(kwargs, outer))
  }
  throw new Error(`A template of the kind ${classOf(prompt) ?? 'without an id'} is not formatted here.`)
}

function render(template: string, kwargs: unknown, scope: Scope): string {
  const format = own(kwargs, 'template_format') ?? 'f-string'
  if (format === 'f-string') return formatFString(template, scope)
  if (format === 'mustache') return formatMustache(template, scope)
  throw new Error(`Templates of the format ${textOf(format)} are not rendered here.`)
}
