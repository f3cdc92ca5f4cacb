/** The languages that can be rendered; `none` leaves a text as it is. */
export const RENDERED_FORMATS = ['f-string', 'mustache', 'none'] as const
export type RenderedFormat = (typeof RENDERED_FORMATS)[number]

/** Characters of a rendered text. */
export const MAX_RENDERED = 20_000_000
/** Pieces that are written, so that nested sections over long lists end. */
const MAX_STEPS = 1_000_000
const MAX_DEPTH = 50

/** Why a template cannot be rendered. */
export interface RenderProblem {
  readonly code: 'missing_variable' | 'invalid_template'
  /** What is wrong, where, and what to do. */
  readonly message: string
  /** The variable or section; null when the problem is not about one. */
  readonly variable: string | null
}

export type Rendered<Value> = { readonly ok: Value } | { readonly problem: RenderProblem }

/**
 * Fills a template with values. Texts are inserted as they are, without escaping for HTML; null is an empty text; numbers,
 * booleans, objects and lists are JSON. The time is linear in the template and the output.
 *
 * In mustache, sections over a name without a value are left out, and names inside a section are first looked up in its
 * item. Partials, lambdas and other delimiters do not exist. In f-strings, `{name:>10}`, `{name!r}`, `{a.b}` and `{a[0]}`
 * are problems.
 *
 * @param values  by variable; a variable outside of sections without a value is a problem
 * @param maxLength  characters of the output. @default MAX_RENDERED
 */
export function renderTemplate(
  template: string,
  format: RenderedFormat,
  values: Readonly<Record<string, unknown>>,
  maxLength: number = MAX_RENDERED,
): Rendered<string> {
  try {
    const output = new Output(maxLength)
    if (format === 'none') output.add(template)
    else if (format === 'f-string') writeFString(template, values, output)
    else writeNodes(parseMustache(template), [values], output)
    return { ok: output.parts.join('') }
  } catch (error) {
    if (error instanceof TemplateError) return { problem: error.problem }
    throw error
  }
}

class TemplateError extends Error {
  constructor(readonly problem: RenderProblem) {
    super(problem.message)
  }
}

function invalid(message: string, variable: string | null = null): TemplateError {
  return new TemplateError({ code: 'invalid_template', message, variable })
}

function missing(variable: string): TemplateError {
  const message = `The variable "${variable}" has no value.`
  return new TemplateError({ code: 'missing_variable', message, variable })
}

class Output {
  readonly parts: string[] = []
  #length = 0
  #steps = 0

  constructor(readonly maxLength: number) {}

  add(text: string): void {
    this.step()
    this.#length += text.length
    if (this.#length > this.maxLength) throw invalid(`The rendered text has more than ${this.maxLength} characters.`)
    this.parts.push(text)
  }

  step(): void {
    if (++this.#steps > MAX_STEPS) throw invalid(`The template writes more than ${MAX_STEPS} pieces.`)
  }
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

function writeFString(template: string, values: Readonly<Record<string, unknown>>, output: Output): void {
  let from = 0
  for (const { 0: tag, 1: inner, index } of template.matchAll(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g)) {
    output.add(template.slice(from, index))
    from = index + tag.length
    if (tag === '{{' || tag === '}}') output.add(tag.charAt(0))
    else if (inner === undefined) throw invalid(`A single "${tag}" ${findLine(template, index)}; write "${tag}${tag}".`)
    else output.add(toText(getFStringValue(inner, values, () => findLine(template, index))))
  }
  output.add(template.slice(from))
}

function getFStringValue(inner: string, values: Readonly<Record<string, unknown>>, line: () => string): unknown {
  const name = inner.trim()
  if (name === '') throw invalid(`A variable without a name ${line()}; write "{{}}" for braces.`)
  if (Object.hasOwn(values, name) && values[name] !== undefined) return values[name]
  if (!/[!:.[\]]/.test(name)) throw missing(name)
  const variable = /^[^!:.[\]]*/.exec(name)?.[0].trim() || null
  throw invalid(`"{${inner}}" ${line()} has a format or a path; write the name of a variable only.`, variable)
}

const findLine = (template: string, at: number) => `in line ${template.slice(0, at).split('\n').length}`

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'section'; readonly name: string; readonly isInverted: boolean; readonly nodes: Node[] }

/** `{{name}}`, `{{{name}}}`, `{{&name}}`, sections and comments; a section tag alone on its line takes the line with it. */
function parseMustache(template: string): Node[] {
  const root: Node[] = []
  const open: { readonly name: string; readonly nodes: Node[]; readonly at: number }[] = []
  const addText = (text: string) => text !== '' && (open.at(-1)?.nodes ?? root).push({ kind: 'text', text })
  let from = 0
  for (const { 0: text, 1: inTriple, 2: inDouble = '', index } of template.matchAll(
    /\{\{\{([^{}]*)\}\}\}|\{\{([^{}]*)\}\}/g,
  )) {
    const tag = (inTriple ?? inDouble).trim()
    const sign = inTriple === undefined && '#^/&!>='.includes(tag.charAt(0)) ? tag.charAt(0) : ''
    const name = tag.slice(sign.length).trim()
    const line = () => findLine(template, index)
    if (sign === '>' || sign === '=') {
      throw invalid(`"${text}" ${line()}: partials and other delimiters are not supported.`)
    }
    const end = index + text.length
    const whole = '#^/!'.includes(sign) && sign !== '' ? findOwnLine(template, index, end, from) : undefined
    addText(template.slice(from, whole?.from ?? index))
    from = whole?.to ?? end
    if (sign === '!') continue
    if (name === '') throw invalid(`"${text}" ${line()} has no name.`)
    if (sign === '' || sign === '&') (open.at(-1)?.nodes ?? root).push({ kind: 'variable', name })
    else if (sign === '/') {
      const section = open.pop()
      if (section?.name !== name) throw invalid(`"${text}" ${line()} closes no open section.`, name)
    } else {
      if (open.length === MAX_DEPTH) throw invalid(`Sections are nested deeper than ${MAX_DEPTH} ${line()}.`, name)
      const nodes: Node[] = []
      ;(open.at(-1)?.nodes ?? root).push({ kind: 'section', name, isInverted: sign === '^', nodes })
      open.push({ name, nodes, at: index })
    }
  }
  const section = open.at(-1)
  if (section !== undefined) {
    throw invalid(`The section "${section.name}" ${findLine(template, section.at)} is not closed.`, section.name)
  }
  addText(template.slice(from))
  return root
}

/** The line of a tag when nothing else stands in it. */
function findOwnLine(template: string, start: number, end: number, after: number) {
  let from = start
  while (from > after && (template[from - 1] === ' ' || template[from - 1] === '\t')) from--
  if (from > 0 && template[from - 1] !== '\n') return undefined
  let to = end
  while (template[to] === ' ' || template[to] === '\t' || template[to] === '\r') to++
  if (to < template.length && template[to] !== '\n') return undefined
  return { from, to: to + 1 }
}

function writeNodes(nodes: readonly Node[], stack: readonly unknown[], output: Output): void {
  for (const node of nodes) {
    if (node.kind === 'text') output.add(node.text)
    else if (node.kind === 'variable') {
      const value = findValue(node.name, stack)
      if (value === undefined && stack.length === 1) throw missing(node.name)
      output.add(toText(value))
    } else writeSection(node, stack, output)
  }
}

function writeSection(node: Node & { kind: 'section' }, stack: readonly unknown[], output: Output): void {
  output.step()
  const value = findValue(node.name, stack)
  const isEmpty = !value || (Array.isArray(value) && value.length === 0)
  if (node.isInverted && isEmpty) writeNodes(node.nodes, stack, output)
  if (node.isInverted || isEmpty) return
  for (const item of Array.isArray(value) ? value : [value]) {
    output.step()
    writeNodes(node.nodes, [...stack, item], output)
  }
}

/** The innermost value of a name; `.` is the item of the section. */
function findValue(name: string, stack: readonly unknown[]): unknown {
  if (name === '.') return stack.at(-1)
  const [first = '', ...rest] = name.split('.')
  let value = stack.findLast((frame) => hasMember(frame, first))
  for (const part of [first, ...rest]) {
    if (!hasMember(value, part)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}

function hasMember(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
}
