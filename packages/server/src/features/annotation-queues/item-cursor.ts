import { ApiError, parseTime } from '@touchstone/contract'

/** Where an item stands in the order of a caller. */
export interface ItemPlace {
  readonly effectiveAddedAt: string
  readonly number: number
}

export function printItemCursor({ effectiveAddedAt, number }: ItemPlace): string {
  return Buffer.from(`${effectiveAddedAt} ${number}`).toString('base64url')
}

/** @throws ApiError INVALID_REQUEST for what is no cursor of ours */
export function parseItemCursor(text: string): ItemPlace {
  const [time, number = ''] = Buffer.from(text, 'base64url').toString().split(' ')
  const effectiveAddedAt = parseTime(time)
  if (effectiveAddedAt !== undefined && /^\d{1,15}$/.test(number)) return { effectiveAddedAt, number: Number(number) }
  throw new ApiError('INVALID_REQUEST', 'The cursor is none that this server gave out.')
}
