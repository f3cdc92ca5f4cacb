import { getOwn, type Scope, toText } from './messages.ts'

/**
 * Replaces `{name}` by the value of that name, and `{{` and `}}` by braces. Only names are allowed between the braces:
 * no expressions, attributes or formats. Inserted values are not parsed again.
 *
 * @throws Error for unbalanced braces, and for a name without a value
 */
export function formatFString(template: string, scope: Scope): string {
  let text = ''
  let at = 0
  for (const { index, 0: brace } of template.matchAll(/\{\{|\}\}|\{[^}]*\}?|\}/g)) {
    text += template.slice(at, index)
    at = index + brace.length
    if (brace === '{{' || brace === '}}') text += brace[0]
    else if (brace === '}') throw new Error('Single "}" in a template.')
    else if (!brace.endsWith('}')) throw new Error('A "{" in a template is never closed.')
    else text += getValue(brace.slice(1, -1), scope)
  }
  return text + template.slice(at)
}

function getValue(name: string, scope: Scope): string {
  for (const values of scope.toReversed()) {
    const value = getOwn(values, name)
    if (value !== undefined) return toText(value)
  }
  throw new Error(`Missing value for input variable "${name}".`)
}
