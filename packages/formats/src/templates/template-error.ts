/** Why a template cannot be rendered. */
export interface RenderProblem {
  readonly code: 'missing_variable' | 'invalid_template'
  /** What is wrong, where, and what to do. */
  readonly message: string
  /** The variable or section; null when the problem is not about one. */
  readonly variable: string | null
}

/** A template that cannot be parsed or rendered. */
export class TemplateError extends Error {
  constructor(readonly problem: RenderProblem) {
    super(problem.message)
  }
}

export function invalidTemplate(message: string, variable: string | null = null): TemplateError {
  return new TemplateError({ code: 'invalid_template', message, variable })
}

/** Where in a template something is, as messages name it. */
export const findLine = (template: string, at: number) => `in line ${template.slice(0, at).split('\n').length}`
