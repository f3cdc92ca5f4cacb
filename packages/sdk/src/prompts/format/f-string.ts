import { own, type Scope, textOf } from './values.ts'

/**
 * `{name}` becomes the value of that name, `{{` and `}}` become braces. What stands between the braces is a name and
 * nothing else: no expression, attribute or format is ever looked into, and what is put in is not read again.
 *
 * @throws Error for braces that do not pair, and for a name without a value
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
    else text += namedValue(brace.slice(1, -1), scope)
  }
  return text + template.slice(at)
}

function namedValue(name: string, scope: Scope): string {
  for (const values of scope.toReversed()) {
    const value = own(values, name)
    if (value !== undefined) return textOf(value)
  }
  throw new Error(`Missing value for input variable "${name}".`)
}
