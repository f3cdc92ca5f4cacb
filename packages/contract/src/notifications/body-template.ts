import { z } from 'zod'

/** Characters of a body template. */
export const MAX_BODY_TEMPLATE = 20_000
/** Objects and lists in each other. */
const MAX_DEPTH = 30

/** Member of a body template that turns its variables on. */
export const TEMPLATE_MEMBER = '$template'

/**
 * The text of a JSON object that is the body of a webhook. With `"$template": true` among its members, each `{{name}}` in its
 * texts becomes the member of the notice with this name; without it the text is sent as it is.
 */
export const BodyTemplate = z
  .string()
  .max(MAX_BODY_TEMPLATE, `has more than ${MAX_BODY_TEMPLATE} characters`)
  .refine((text) => isShallowObject(text), `is no JSON object, or nested more than ${MAX_DEPTH} times`)

function isShallowObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) && isShallow(value, MAX_DEPTH)
  } catch {
    return false
  }
}

function isShallow(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return left > 0 && Object.values(value).every((member) => isShallow(member, left - 1))
}
