import { priceList } from './price.ts'

const price = priceList('https://ai.google.dev/pricing, as known in November 2025')
const VERSION = '(-latest|-\\d{3}|-exp(-\\d{2}-\\d{2})?|-preview(-\\d{2}-\\d{2,4})?)?'

export const google = [
  price('gemini-3-pro', `gemini-3-pro${VERSION}`, {
    input: '2',
    output: '12',
    inputDetails: { cache_read: '0.2', over_200k: '4', cache_read_over_200k: '0.4' },
    outputDetails: { over_200k: '18' },
  }),
  price('gemini-2.5-pro', `gemini-2\\.5-pro${VERSION}`, {
    input: '1.25',
    output: '10',
    inputDetails: { cache_read: '0.125', over_200k: '2.5', cache_read_over_200k: '0.25' },
    outputDetails: { over_200k: '15' },
  }),
  price('gemini-2.5-flash', `gemini-2\\.5-flash${VERSION}`, {
    input: '0.3',
    output: '2.5',
    inputDetails: { cache_read: '0.03', audio: '1' },
  }),
  price('gemini-2.5-flash-lite', `gemini-2\\.5-flash-lite${VERSION}`, {
    input: '0.1',
    output: '0.4',
    inputDetails: { cache_read: '0.01', audio: '0.3' },
  }),
  price('gemini-2.0-flash', `gemini-2\\.0-flash${VERSION}`, {
    input: '0.1',
    output: '0.4',
    inputDetails: { cache_read: '0.025', audio: '0.7' },
  }),
  price('gemini-2.0-flash-lite', `gemini-2\\.0-flash-lite${VERSION}`, { input: '0.075', output: '0.3' }),
  price('gemini-1.5-pro', `gemini-1\\.5-pro${VERSION}`, {
    input: '1.25',
    output: '5',
    inputDetails: { cache_read: '0.3125' },
  }),
  price('gemini-1.5-flash', `gemini-1\\.5-flash${VERSION}`, {
    input: '0.075',
    output: '0.3',
    inputDetails: { cache_read: '0.01875' },
  }),
  price('gemini-1.5-flash-8b', `gemini-1\\.5-flash-8b${VERSION}`, {
    input: '0.0375',
    output: '0.15',
    inputDetails: { cache_read: '0.01' },
  }),
  price('gemini-1.0-pro', `gemini-(1\\.0-)?pro${VERSION}`, { input: '0.5', output: '1.5' }),
  price('gemini-embedding-001', 'gemini-embedding-001', { input: '0.15', output: '0' }),
]
