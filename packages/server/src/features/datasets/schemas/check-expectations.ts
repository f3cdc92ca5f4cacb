import { compiledSchema } from './parse-schema.ts'
import { parseTransformations } from './transformations/read-transformations.ts'

/**
 * Whether a text is a JSON Schema that this server can check: drafts 2020-12 (the default), 2019-09, 7 and 6. A
 * reference is resolved inside the schema or to the public message and tool schemas, never over the network. `format`
 * is a remark; `pattern` has no look-around and no back-references.
 *
 * @throws ApiError INVALID_REQUEST naming the place of the first mistake
 */
export function checkSchema(text: string): void {
  compiledSchema(text)
}

/**
 * Whether a text is a list of transformations that this server knows.
 *
 * @throws ApiError INVALID_REQUEST naming the first that is none
 */
export function checkTransformations(text: string): void {
  parseTransformations(text)
}
