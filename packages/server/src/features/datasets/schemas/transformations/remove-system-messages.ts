import { isArrayText, splitElements } from '../../../../json/cut-json.ts'
import { isRecord } from '../../../../json/guards.ts'

/** A list of messages, or of such lists, without those of the role `system`. */
export function removeSystemMessages(text: string): string {
  if (!isArrayText(text)) return text
  const elements = splitElements(text)
  const kept = elements.filter((element) => !isSystem(JSON.parse(element)))
  const inner = kept.map((element) => (isArrayText(element) ? removeSystemMessages(element) : element))
  return inner.length === elements.length && inner.every((one, index) => one === elements[index])
    ? text
    : `[${inner.join(',')}]`
}

function isSystem(message: unknown): boolean {
  if (!isRecord(message)) return false
  const { role, type, id } = message
  return (role ?? type) === 'system' || (Array.isArray(id) && id.at(-1) === 'SystemMessage')
}
