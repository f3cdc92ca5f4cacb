import { findLine, invalidTemplate } from './template-error.ts'

/** A text, or what stands between the braces of a variable. */
interface FStringPiece {
  readonly text: string
  readonly inner?: string
  /** Position in the template. */
  readonly at: number
}

/**
 * Cuts an f-string into texts, with doubled braces as one, and variables.
 *
 * @throws TemplateError for a single brace
 */
export function* eachFStringPiece(template: string): Generator<FStringPiece> {
  let from = 0
  for (const { 0: tag, 1: inner, index } of template.matchAll(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g)) {
    yield { text: template.slice(from, index), at: from }
    from = index + tag.length
    if (tag === '{{' || tag === '}}') yield { text: tag.charAt(0), at: index }
    else if (inner !== undefined) yield { text: tag, inner, at: index }
    else throw invalidTemplate(`A single "${tag}" ${findLine(template, index)}; write "${tag}${tag}".`)
  }
  yield { text: template.slice(from), at: from }
}
