import { priceList } from './price.ts'

const price = priceList('https://cohere.com/pricing, as known in November 2025')

export const cohere = [
  price('command-a', 'command-a(-03-2025)?', { input: '2.5', output: '10' }),
  price('command-r-plus', 'command-r-plus-08-2024', { input: '2.5', output: '10' }),
  price('command-r-plus', 'command-r-plus(-04-2024|-v1:0)?', { input: '3', output: '15' }),
  price('command-r', 'command-r-08-2024', { input: '0.15', output: '0.6' }),
  price('command-r', 'command-r(-03-2024|-v1:0)?', { input: '0.5', output: '1.5' }),
  price('command-r7b', 'command-r7b-12-2024', { input: '0.0375', output: '0.15' }),
  price('command', 'command', { input: '1', output: '2' }),
  price('command-light', 'command-light', { input: '0.3', output: '0.6' }),
  price('embed-v4.0', 'embed-v4\\.0', { input: '0.12', output: '0' }),
  price('embed-v3.0', 'embed-(english|multilingual)(-light)?-v3\\.0', { input: '0.1', output: '0' }),
]
