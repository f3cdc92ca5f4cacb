import type { ModelPrice } from '@touchstone/contract'
import { anthropic } from './anthropic.ts'
import { cohere } from './cohere.ts'
import { google } from './google.ts'
import { meta } from './meta.ts'
import { mistral } from './mistral.ts'
import { openai } from './openai.ts'

/** Prices that come with Touchstone. An entry of the same id in the database replaces or hides one. */
export const builtInPrices: readonly ModelPrice[] = [...openai, ...anthropic, ...google, ...mistral, ...meta, ...cohere]
