import { z } from 'zod'

/** Placeholder of the value of a header, which is not shown again. Writing it back keeps the value. */
export const HIDDEN_HEADER = '********'

/** Headers that HTTP or the signature needs for itself. */
const RESERVED_HEADERS = /^(?:host|connection|content-.*|transfer-encoding|upgrade|te|trailer|expect|webhook-.*)$/i

/** Headers of users that are sent with each webhook, e.g. `authorization`. */
export const WebhookHeaders = z
  .record(
    z
      .string()
      .regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, 'is no name of a header')
      .refine((name) => !RESERVED_HEADERS.test(name), 'is set by the server'),
    z.string().regex(/^[\t\x20-\x7e\x80-\xff]{0,4096}$/, 'is no value of a header'),
  )
  .refine((headers) => Object.keys(headers).length <= 20, 'has at most 20 headers')
