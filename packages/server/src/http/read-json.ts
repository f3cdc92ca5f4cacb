import { ApiError } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import { jsonErrorPosition } from './json-position.ts'
import { readBody } from './read-body.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a body as JSON whatever its content type says: some clients label it text/plain. An empty body is `undefined`.
 *
 * @throws ApiError INVALID_REQUEST saying where the text stops being JSON
 */
export async function readJson(request: FastifyRequest): Promise<{ text: string; value: unknown }> {
  const bytes = await readBody(request, { maxBytes: request.server.maxBodyBytes })
  const text = decode(bytes)
  if (text.trim() === '') return { text: '', value: undefined }
  try {
    return { text, value: JSON.parse(text) as unknown }
  } catch (error) {
    const says = `The body is not valid JSON at position ${jsonErrorPosition(text)}.`
    throw new ApiError('INVALID_REQUEST', says, { cause: error })
  }
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    throw new ApiError('INVALID_REQUEST', 'The body is not valid UTF-8.', { cause: error })
  }
}
