/** The languages of templates. `jinja2` is shown and never parsed. */
export const TEMPLATE_FORMATS = ['f-string', 'mustache', 'jinja2'] as const
export type TemplateFormat = (typeof TEMPLATE_FORMATS)[number]

/** A part of a template. The texts of all pieces, joined, are the template. */
export interface TemplatePiece {
  readonly kind: 'text' | 'variable' | 'section'
  readonly text: string
  /** Name of the variable or section; for a path such as `user.name`, its first part. */
  readonly name?: string
}

/** Cuts a template into text, variables and sections. A template that is not well-formed is one text. */
export function splitTemplate(template: string, format: TemplateFormat): TemplatePiece[] {
  if (format === 'jinja2') return [{ kind: 'text', text: template }]
  return (format === 'mustache' ? splitMustache(template) : splitFString(template)).filter(({ text }) => text !== '')
}

/**
 * Names of the variables that a caller must give, each once, in order. Names inside a mustache section belong to the items
 * of the section.
 */
export function listVariables(template: string, format: TemplateFormat): string[] {
  const names = new Set<string>()
  let depth = 0
  for (const { kind, name, text } of splitTemplate(template, format)) {
    if (kind === 'text' || name === undefined) continue
    const isEnd = kind === 'section' && text.startsWith('{{/')
    if (isEnd) depth = Math.max(depth - 1, 0)
    else if (depth === 0) names.add(name)
    if (kind === 'section' && !isEnd) depth++
  }
  return [...names]
}

/** `{name}`, `{name!r}`, `{name:>10}`; doubled braces are text. */
function splitFString(template: string): TemplatePiece[] {
  const pieces: TemplatePiece[] = []
  let from = 0
  for (const { 0: text, index } of template.matchAll(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g)) {
    if (text === '{{' || text === '}}') continue
    const name = /^[^!:.[\]]+/.exec(text.slice(1, -1))?.[0].trim()
    if (text.length < 3 || !name) return [{ kind: 'text', text: template }]
    pieces.push({ kind: 'text', text: template.slice(from, index) }, { kind: 'variable', text, name })
    from = index + text.length
  }
  return [...pieces, { kind: 'text', text: template.slice(from) }]
}

/** `{{name}}`, `{{{name}}}`, `{{&name}}`, sections `{{#name}}…{{/name}}` and `{{^name}}…{{/name}}`, comments. */
function splitMustache(template: string): TemplatePiece[] {
  const pieces: TemplatePiece[] = []
  let from = 0
  for (const { 0: text, 1: inTriple, 2: inDouble = '', index } of template.matchAll(
    /\{\{\{([^{}]*)\}\}\}|\{\{([^{}]*)\}\}/g,
  )) {
    const tag = (inTriple ?? inDouble).trim()
    const sign = inTriple === undefined ? tag.charAt(0) : ''
    const name = ('#^/&'.includes(sign) ? tag.slice(sign.length) : tag).trim().split('.')[0]
    if (sign === '!' || sign === '>' || !name) continue
    const kind = sign === '#' || sign === '^' || sign === '/' ? 'section' : 'variable'
    pieces.push({ kind: 'text', text: template.slice(from, index) }, { kind, text, name })
    from = index + text.length
  }
  return [...pieces, { kind: 'text', text: template.slice(from) }]
}
