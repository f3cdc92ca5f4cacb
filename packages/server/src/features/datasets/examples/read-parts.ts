import { AttachmentsOperations, ExamplePart } from '@touchstone/contract'
import type { z } from 'zod'
import { isObjectText, splitMembers } from '../../../json/cut-json.ts'
import { findJsonProblem } from '../../../json/scan-json.ts'
import type { ExampleParts } from './collect-parts.ts'
import type { Problems } from './problems.ts'

/** The parts of one example, read; payloads are JSON text as it came. */
export interface ReadParts {
  readonly main: ExamplePart
  readonly inputs: string | undefined
  readonly outputs: string | undefined
  readonly metadata: string | undefined
  readonly operations: AttachmentsOperations | undefined
}

/** Reads the JSON of an example's parts. What is wrong goes to the problems, and what was wrong is left out. */
export function readParts({ id, main, inputs, outputs, operations }: ExampleParts, problems: Problems): ReadParts {
  if (main === undefined) problems.add('INVALID_REQUEST', [id], 'the part named by the id alone is missing')
  const read = parsePart(ExamplePart, main ?? '{}', [id], problems)
  return {
    main: read ?? {},
    inputs: objectText(inputs, [id, 'inputs'], problems),
    outputs: objectText(outputs, [id, 'outputs'], problems),
    metadata: read?.metadata == null ? undefined : splitMembers(main!).get('metadata'),
    operations:
      operations === undefined
        ? undefined
        : parsePart(AttachmentsOperations, operations, [id, 'attachments_operations'], problems),
  }
}

/** Null counts as absent. */
function objectText(text: string | undefined, where: readonly string[], problems: Problems): string | undefined {
  if (text === undefined || !isJson(text, where, problems) || text.trim() === 'null') return undefined
  if (isObjectText(text)) return text
  problems.add('INVALID_REQUEST', where, 'is not a JSON object')
  return undefined
}

function parsePart<Shape extends z.ZodType>(
  shape: Shape,
  text: string,
  where: readonly string[],
  problems: Problems,
): z.output<Shape> | undefined {
  if (!isJson(text, where, problems)) return undefined
  const result = shape.safeParse(JSON.parse(text))
  if (result.success) return result.data
  for (const { path, message } of result.error.issues) {
    problems.add('INVALID_REQUEST', [...where, ...path.map(String)], message)
  }
  return undefined
}

function isJson(text: string, where: readonly string[], problems: Problems): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    problems.add('INVALID_REQUEST', where, `is not valid JSON at position ${findJsonProblem(text) ?? text.length}`)
    return false
  }
}
