import type { Example } from '../schemas.ts'

const PREFIX = 'attachment.'

interface WireExample extends Omit<Example, 'attachments'> {
  attachment_urls?: Record<string, { presigned_url: string; mime_type: string }> | null | undefined
}

/** The example with its attachments by their own names. */
export function readable(example: WireExample): Example {
  const { attachment_urls, ...rest } = example
  if (!attachment_urls) return rest
  const attachments = Object.fromEntries(
    Object.entries(attachment_urls).map(([name, { presigned_url, mime_type }]) => [
      name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name,
      { presigned_url, mime_type },
    ]),
  )
  return { ...rest, attachments }
}

export type { WireExample }
