import { priceList } from './price.ts'

const price = priceList('https://mistral.ai/pricing, as known in November 2025')
const VERSION = '(-latest|-\\d{4})?'

export const mistral = [
  price('mistral-large', `(mistral|pixtral)-large${VERSION}`, { input: '2', output: '6' }),
  price('mistral-medium', `mistral-medium${VERSION}`, { input: '0.4', output: '2' }),
  price('mistral-small', `mistral-small${VERSION}`, { input: '0.1', output: '0.3' }),
  price('mistral-saba', `mistral-saba${VERSION}`, { input: '0.2', output: '0.6' }),
  price('magistral-medium', `magistral-medium${VERSION}`, { input: '2', output: '5' }),
  price('magistral-small', `magistral-small${VERSION}`, { input: '0.5', output: '1.5' }),
  price('codestral', `codestral${VERSION}`, { input: '0.3', output: '0.9' }),
  price('devstral-medium', `devstral-medium${VERSION}`, { input: '0.4', output: '2' }),
  price('devstral-small', `devstral-small${VERSION}`, { input: '0.1', output: '0.3' }),
  price('ministral-8b', `ministral-8b${VERSION}`, { input: '0.1', output: '0.1' }),
  price('ministral-3b', `ministral-3b${VERSION}`, { input: '0.04', output: '0.04' }),
  price('pixtral-12b', `pixtral-12b${VERSION}`, { input: '0.15', output: '0.15' }),
  price('open-mistral-nemo', `open-mistral-nemo${VERSION}`, { input: '0.15', output: '0.15' }),
  price('open-mistral-7b', 'open-mistral-7b', { input: '0.25', output: '0.25' }),
  price('open-mixtral-8x7b', 'open-mixtral-8x7b', { input: '0.7', output: '0.7' }),
  price('open-mixtral-8x22b', 'open-mixtral-8x22b', { input: '2', output: '6' }),
  price('mistral-embed', 'mistral-embed', { input: '0.1', output: '0' }),
  price('codestral-embed', 'codestral-embed', { input: '0.15', output: '0' }),
]
