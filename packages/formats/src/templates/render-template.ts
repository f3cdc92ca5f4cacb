import { eachFStringPiece } from './parse-f-string.ts'
import { parseMustache, type TemplateNode } from './parse-mustache.ts'
import { findLine, invalidTemplate, type RenderProblem, TemplateError } from './template-error.ts'

/** The languages that can be rendered; `none` leaves a text as it is. */
export const RENDERED_FORMATS = ['f-string', 'mustache', 'none'] as const
export type RenderedFormat = (typeof RENDERED_FORMATS)[number]

/** Characters of a rendered text. */
export const MAX_RENDERED = 20_000_000
/** Steps of the templates of one call of a model. */
const MAX_STEPS = 1_000_000
/** Steps of the templates of a request with several calls, or rows: about half a second. */
const MAX_STEPS_OF_ROWS = 10_000_000

/**
 * The steps that the templates of a request may take together: pieces that are written, and further values that are looked at for
 * their names. Nested sections over long lists end, and many templates take no longer than one.
 */
export class TemplateSteps {
  #left: number

  private constructor(readonly max: number) {
    this.#left = max
  }

  static ofCall(): TemplateSteps {
    return new TemplateSteps(MAX_STEPS)
  }

  static ofRows(): TemplateSteps {
    return new TemplateSteps(MAX_STEPS_OF_ROWS)
  }

  /** @throws TemplateError when none is left */
  take(count: number): void {
    this.#left -= count
    if (this.#left < 0) throw invalidTemplate(`The templates of this request take more than ${this.max} steps.`)
  }
}

export type Rendered<Value> = { readonly ok: Value } | { readonly problem: RenderProblem }

/**
 * Fills a template with values. Texts are inserted as they are, without escaping for HTML; null is an empty text; numbers,
 * booleans, objects and lists are JSON. The time is linear in the template, its steps and the output.
 *
 * In mustache, sections over a name without a value are left out, and names inside a section are first looked up in its
 * item. Partials, lambdas and other delimiters do not exist. In f-strings, `{name:>10}`, `{name!r}`, `{a.b}` and `{a[0]}`
 * are problems.
 *
 * @param values  by variable; a variable outside of sections without a value is a problem
 * @param maxLength  characters of the output. @default MAX_RENDERED
 * @param steps  shared by the templates of a request. @default those of this template alone
 */
export function renderTemplate(
  template: string,
  format: RenderedFormat,
  values: Readonly<Record<string, unknown>>,
  maxLength: number = MAX_RENDERED,
  steps: TemplateSteps = TemplateSteps.ofCall(),
): Rendered<string> {
  try {
    const output = new Output(maxLength, steps)
    if (format === 'none') output.add(template)
    else if (format === 'f-string') writeFString(template, values, output)
    else writeNodes(parseMustache(template), [values], output)
    return { ok: output.parts.join('') }
  } catch (error) {
    if (error instanceof TemplateError) return { problem: error.problem }
    throw error
  }
}

function missing(variable: string): TemplateError {
  const message = `The variable "${variable}" has no value.`
  return new TemplateError({ code: 'missing_variable', message, variable })
}

class Output {
  readonly parts: string[] = []
  #length = 0

  constructor(
    readonly maxLength: number,
    readonly steps: TemplateSteps,
  ) {}

  add(text: string): void {
    this.step()
    this.#length += text.length
    if (this.#length > this.maxLength)
      throw invalidTemplate(`The rendered text has more than ${this.maxLength} characters.`)
    this.parts.push(text)
  }

  step(count = 1): void {
    this.steps.take(count)
  }
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

function writeFString(template: string, values: Readonly<Record<string, unknown>>, output: Output): void {
  for (const { text, inner, at } of eachFStringPiece(template)) {
    output.add(inner === undefined ? text : toText(getFStringValue(inner, values, () => findLine(template, at))))
  }
}

function getFStringValue(inner: string, values: Readonly<Record<string, unknown>>, line: () => string): unknown {
  const name = inner.trim()
  if (name === '') throw invalidTemplate(`A variable without a name ${line()}; write "{{}}" for braces.`)
  if (Object.hasOwn(values, name) && values[name] !== undefined) return values[name]
  if (!/[!:.[\]]/.test(name)) throw missing(name)
  const variable = /^[^!:.[\]]*/.exec(name)?.[0].trim() || null
  throw invalidTemplate(`"{${inner}}" ${line()} has a format or a path; write the name of a variable only.`, variable)
}

/** @param stack  the values and the items of the open sections; the same before and after */
function writeNodes(nodes: readonly TemplateNode[], stack: unknown[], output: Output): void {
  for (const node of nodes) {
    if (node.kind === 'text') output.add(node.text)
    else if (node.kind === 'variable') {
      const value = findValue(node, stack, output)
      if (value === undefined && stack.length === 1) throw missing(node.name)
      output.add(toText(value))
    } else writeSection(node, stack, output)
  }
}

function writeSection(node: TemplateNode & { kind: 'section' }, stack: unknown[], output: Output): void {
  output.step()
  const value = findValue(node, stack, output)
  const isEmpty = !value || (Array.isArray(value) && value.length === 0)
  if (node.isInverted && isEmpty) writeNodes(node.nodes, stack, output)
  if (node.isInverted || isEmpty) return
  for (const item of Array.isArray(value) ? value : [value]) {
    output.step()
    stack.push(item)
    writeNodes(node.nodes, stack, output)
    stack.pop()
  }
}

/** The innermost value of a name; `.` is the item of the section. Each value after the first that is looked at is a step. */
function findValue(
  { name, path }: { readonly name: string; readonly path: readonly string[] },
  stack: readonly unknown[],
  output: Output,
): unknown {
  if (name === '.') return stack.at(-1)
  const [first = ''] = path
  const at = stack.findLastIndex((frame) => hasMember(frame, first))
  output.step(stack.length - Math.max(at, 0) - 1)
  let value = stack[at]
  for (const [position, segment] of path.entries()) {
    if (position > 0) output.step()
    if (!hasMember(value, segment)) return undefined
    value = (value as Record<string, unknown>)[segment]
  }
  return value
}

function hasMember(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
}
