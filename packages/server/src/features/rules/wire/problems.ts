import { ApiError } from '@touchstone/contract'
import type { z } from 'zod'

/** A field of the request that the server understands and cannot follow. */
export function unprocessable(path: readonly (string | number)[], message: string): ApiError {
  const problems = [{ loc: ['body', ...path], msg: message, type: 'value_error' }]
  return new ApiError('UNPROCESSABLE', `${path.join('.')}: ${message}`, { problems })
}

/** Reads what was made of a request with the shape of our own routes. @throws ApiError UNPROCESSABLE */
export function parseOwn<Shape extends z.ZodType>(
  shape: Shape,
  value: unknown,
  path: readonly (string | number)[],
): z.output<Shape> {
  const result = shape.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const at = (issue?.path ?? []).map((key) => (typeof key === 'symbol' ? String(key) : key))
  throw unprocessable([...path, ...at], issue?.message ?? 'is not valid')
}
