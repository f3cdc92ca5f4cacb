import { listMembers, splitElements } from '@touchstone/formats/cut-json'
import { getMember, printList, setMember } from '@touchstone/formats/edit-json'
import { isRecord, type JsonRecord } from '@touchstone/formats/guards'
import { parseJson } from '@touchstone/formats/locate-json'
import { isLangChainType } from '@touchstone/formats/messages'

// Messages are edited as JSON texts, so that what is not edited stays as it is written.

/** A way to write a message. */
interface Format {
  /** The member that holds the role. */
  readonly roleKey: 'role' | 'type'
  /** The member that holds the content and everything else; absent: the message itself. */
  readonly body?: 'data'
  /** Roles to choose from. */
  readonly roles: readonly string[]
}

const LANGCHAIN_ROLES = ['system', 'human', 'ai', 'tool']
const FORMATS = {
  /** `{"role": "user", "content": "…"}` */
  plain: { roleKey: 'role', roles: ['system', 'developer', 'user', 'assistant', 'tool'] },
  /** `{"type": "human", "content": "…"}` */
  langchain: { roleKey: 'type', roles: LANGCHAIN_ROLES },
  /** `{"type": "human", "data": {"content": "…"}}` */
  stored: { roleKey: 'type', body: 'data', roles: LANGCHAIN_ROLES },
} as const satisfies Record<string, Format>
const ANSWERS: ReadonlyMap<string, string> = new Map([
  ['user', 'assistant'],
  ['human', 'ai'],
])

/** A message of a list. */
export interface ChatMessageText {
  /** As it is written. */
  readonly json: string
  readonly role: string
  /** The member that holds the role. */
  readonly roleKey: 'role' | 'type'
  /** Roles to choose from, with that of the message. */
  readonly roles: readonly string[]
  /** JSON text of the content; undefined where there is none, for example beside tool calls. */
  readonly content: string | undefined
  /** The object with the content and the other fields, as it is written. */
  readonly body: string
  /** Names of the fields besides role and content. */
  readonly others: readonly string[]
}

export interface Chat {
  /** False for one message that is not in a list. */
  readonly isList: boolean
  readonly messages: readonly ChatMessageText[]
}

/**
 * Reads a value of an example that is a message, or a list of nothing but messages.
 *
 * @param json  a JSON text
 * @param key   the name of the value; an empty list named `messages` is a chat too
 * @param hadMessages  whether the list had messages, so that it is a chat also when it is empty
 */
export function readChat(json: string, key = '', hadMessages = false): Chat | undefined {
  const parsed = parseJson(json)
  if ('problem' in parsed) return undefined
  if (!Array.isArray(parsed.value)) {
    const message = readMessage(json, parsed.value)
    return message && { isList: false, messages: [message] }
  }
  const { value } = parsed
  if (value.length === 0) return hadMessages || key === 'messages' ? { isList: true, messages: [] } : undefined
  const found = splitElements(json).flatMap((text, at) => readMessage(text, value[at]) ?? [])
  return found.length === value.length ? { isList: true, messages: found } : undefined
}

/** Whether a value of an object is a chat. @param json  a JSON text */
export function containsChat(json: string): boolean {
  if (!json.trimStart().startsWith('{') || 'problem' in parseJson(json)) return false
  return [...listMembers(json)].some(({ key, from, to }) => readChat(json.slice(from, to), key) !== undefined)
}

function readMessage(json: string, value: unknown): ChatMessageText | undefined {
  const format = findFormat(value)
  if (format === undefined) return undefined
  const { roleKey } = format
  const body = format.body === undefined ? json : (getMember(json, format.body) ?? '{}')
  const role = String((value as Record<string, unknown>)[roleKey])
  const skipped = new Set<string>(format.body === undefined ? ['content', roleKey] : ['content'])
  const keys = new Set([...listMembers(body)].map((member) => member.key))
  return {
    json,
    role,
    roleKey,
    roles: (format.roles as readonly string[]).includes(role) ? format.roles : [...format.roles, role],
    content: getMember(body, 'content'),
    body,
    others: [...keys].filter((name) => !skipped.has(name)),
  }
}

function findFormat(value: unknown): Format | undefined {
  if (!isRecord(value)) return undefined
  const isMessage = (body: JsonRecord) => 'content' in body || 'tool_calls' in body
  if (typeof value.role === 'string' && isMessage(value)) return FORMATS.plain
  if (!isLangChainType(value.type)) return undefined
  if (isRecord(value.data) && isMessage(value.data)) return FORMATS.stored
  return isMessage(value) ? FORMATS.langchain : undefined
}

/** The text of a message in another role. */
export function setRole({ json, roleKey }: ChatMessageText, role: string): string {
  return setMember(json, roleKey, JSON.stringify(role))
}

/** The text of a message with another value of its content, or of another field. @param value  JSON text */
export function setField({ json, body }: ChatMessageText, key: string, value: string): string {
  const changed = setMember(body, key, value)
  return body === json ? changed : setMember(json, 'data', changed)
}

/** One message less, at another place, or replaced. */
export function printChat({ isList }: Chat, messages: readonly string[]): string {
  return isList ? printList(messages) : (messages[0] ?? 'null')
}

/** An empty message in the format of the last one, in the role that usually follows. */
export function startMessage({ messages }: Chat): string {
  const last = messages.at(-1)
  if (last === undefined) return '{"role": "user", "content": ""}'
  const isPlain = last.roleKey === 'role'
  const role = JSON.stringify(ANSWERS.get(last.role) ?? (isPlain ? 'user' : 'human'))
  if (isPlain) return `{"role": ${role}, "content": ""}`
  return last.body === last.json ? `{"type": ${role}, "content": ""}` : `{"type": ${role}, "data": {"content": ""}}`
}

/** The elements with one of them one place further up or down; as before at the ends. */
export function moveElement<Element>(elements: readonly Element[], from: number, by: 1 | -1): readonly Element[] {
  const moved = [...elements]
  const [element] = moved.splice(from, 1)
  const to = from + by
  if (element === undefined || to < 0 || to >= elements.length) return elements
  moved.splice(to, 0, element)
  return moved
}
