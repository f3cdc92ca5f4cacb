import { type PerMillion, priceList } from './price.ts'

const price = priceList('https://www.anthropic.com/pricing, as known in November 2025')

/** `-20241022`, `-latest`, `@20241022` on Vertex, `-20241022-v2:0` on Bedrock. */
const VERSION = '(-latest|[-@]\\d{8})?(-v\\d+)?(:\\d+)?'

/** Reading the cache costs a tenth of the input, writing it a quarter more (5 minutes) or twice as much (1 hour). */
function cost(input: string, output: string, read: string, write5m: string, write1h: string): PerMillion {
  const inputDetails = {
    cache_read: read,
    cache_creation: write5m,
    ephemeral_5m_input_tokens: write5m,
    ephemeral_1h_input_tokens: write1h,
    ephemeral_1hr_input_tokens: write1h,
  }
  return { input, output, inputDetails }
}

const opus = cost('15', '75', '1.5', '18.75', '30')
const sonnet = cost('3', '15', '0.3', '3.75', '6')

export const anthropic = [
  price('claude-opus-4-5', `claude-opus-4-5${VERSION}`, cost('5', '25', '0.5', '6.25', '10')),
  price('claude-opus-4-1', `claude-opus-4-1${VERSION}`, opus),
  price('claude-opus-4', `claude-(opus-4(-0)?|4-opus)${VERSION}`, opus),
  price('claude-sonnet-4-5', `claude-sonnet-4-5${VERSION}`, sonnet),
  price('claude-sonnet-4', `claude-(sonnet-4(-0)?|4-sonnet)${VERSION}`, sonnet),
  price('claude-haiku-4-5', `claude-haiku-4-5${VERSION}`, cost('1', '5', '0.1', '1.25', '2')),
  price('claude-3-7-sonnet', `claude-3-7-sonnet${VERSION}`, sonnet),
  price('claude-3-5-sonnet', `claude-3-5-sonnet(-v2)?${VERSION}`, sonnet),
  price('claude-3-5-haiku', `claude-3-5-haiku${VERSION}`, cost('0.8', '4', '0.08', '1', '1.6')),
  price('claude-3-opus', `claude-3-opus${VERSION}`, opus),
  price('claude-3-sonnet', `claude-3-sonnet${VERSION}`, sonnet),
  price('claude-3-haiku', `claude-3-haiku${VERSION}`, cost('0.25', '1.25', '0.03', '0.3', '0.5')),
  price('claude-2', 'claude-(2(\\.[01])?|v2(:[12])?)', { input: '8', output: '24' }),
  price('claude-instant', 'claude-instant(-1(\\.[0-2])?|-v1)?', { input: '0.8', output: '2.4' }),
]
