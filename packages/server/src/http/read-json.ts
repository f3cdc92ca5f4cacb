import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import { ApiError } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import { parseInSlices } from '../json/parse-in-slices.ts'
import { findJsonProblem, JsonProblem, JsonTooComplex } from '../json/scan-json.ts'
import { readBody } from './read-body.ts'

/** Bodies up to this many bytes are parsed in one go. */
const SMALL_BYTES = 256 * 1024

/**
 * Reads a body as JSON whatever its content type says: some clients label it text/plain. An empty body is `undefined`.
 *
 * @throws ApiError INVALID_REQUEST saying where the text stops being JSON, PAYLOAD_TOO_LARGE over the route's limit
 */
export async function readJson(request: FastifyRequest): Promise<{ text: string; value: unknown }> {
  const bytes = await readBody(request)
  if (!isUtf8(bytes)) throw new ApiError('INVALID_REQUEST', 'The body is not valid UTF-8.')
  const text = withoutMark(bytes.toString('utf8'))
  if (!/\S/.test(text)) return { text: '', value: undefined }
  if (bytes.length <= SMALL_BYTES) return { text, value: parseSmall(text) }
  await setImmediate() // 100 MB were checked and decoded
  return { text, value: await parseLarge(bytes) }
}

/** A byte order mark is no part of the text. */
const withoutMark = (text: string) => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)

function parseSmall(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const position = findJsonProblem(text) ?? text.length
    throw new ApiError('INVALID_REQUEST', `The body is not valid JSON at position ${position}.`, { cause: error })
  }
}

async function parseLarge(bytes: Buffer): Promise<unknown> {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  try {
    return await parseInSlices(hasMark ? bytes.subarray(3) : bytes)
  } catch (error) {
    if (error instanceof JsonProblem) {
      throw new ApiError('INVALID_REQUEST', `The body is not valid JSON at byte ${error.position}.`, { cause: error })
    }
    if (error instanceof JsonTooComplex) {
      throw new ApiError('INVALID_REQUEST', `The body cannot be read: ${error.message}.`, { cause: error })
    }
    throw error
  }
}
