import { priceList } from './price.ts'

const together = priceList('https://www.together.ai/pricing, as known in November 2025')
const groq = priceList('https://groq.com/pricing, as known in November 2025')
const bedrock = priceList('https://aws.amazon.com/bedrock/pricing (us-east-1), as known in November 2025')

/** Hosts name the models of Meta differently; where two names agree, the provider decides. */
export const meta = [
  together('Llama 4 Maverick (Together)', 'llama-4-maverick-17b-128e-instruct-fp8', { input: '0.27', output: '0.85' }),
  together('Llama 4 Scout (Together)', 'llama-4-scout-17b-16e-instruct', {
    input: '0.18',
    output: '0.59',
    provider: 'together',
  }),
  together('Llama 3.3 70B (Together)', 'llama-3\\.3-70b-instruct-turbo', { input: '0.88', output: '0.88' }),
  together('Llama 3.1 405B (Together)', '(meta-)?llama-3\\.1-405b-instruct-turbo', { input: '3.5', output: '3.5' }),
  together('Llama 3.1 70B (Together)', '(meta-)?llama-3\\.1-70b-instruct-turbo', { input: '0.88', output: '0.88' }),
  together('Llama 3.1 8B (Together)', '(meta-)?llama-3\\.1-8b-instruct-turbo', { input: '0.18', output: '0.18' }),
  together('Llama 3.2 3B (Together)', 'llama-3\\.2-3b-instruct-turbo', { input: '0.06', output: '0.06' }),
  groq('Llama 4 Maverick (Groq)', 'llama-4-maverick-17b-128e-instruct', {
    input: '0.2',
    output: '0.6',
    provider: 'groq',
  }),
  groq('Llama 4 Scout (Groq)', 'llama-4-scout-17b-16e-instruct', { input: '0.11', output: '0.34', provider: 'groq' }),
  groq('Llama 3.3 70B (Groq)', 'llama-3\\.3-70b-versatile', { input: '0.59', output: '0.79' }),
  groq('Llama 3.1 8B (Groq)', 'llama-3\\.1-8b-instant', { input: '0.05', output: '0.08' }),
  groq('Llama 3 70B (Groq)', 'llama3-70b-8192', { input: '0.59', output: '0.79' }),
  groq('Llama 3 8B (Groq)', 'llama3-8b-8192', { input: '0.05', output: '0.08' }),
  bedrock('Llama 4 Maverick (Bedrock)', 'llama4-maverick-17b-instruct-v1:0', { input: '0.24', output: '0.97' }),
  bedrock('Llama 4 Scout (Bedrock)', 'llama4-scout-17b-instruct-v1:0', { input: '0.17', output: '0.66' }),
  bedrock('Llama 3.3 70B (Bedrock)', 'llama3-3-70b-instruct-v1:0', { input: '0.72', output: '0.72' }),
  bedrock('Llama 3.2 90B (Bedrock)', 'llama3-2-90b-instruct-v1:0', { input: '0.72', output: '0.72' }),
  bedrock('Llama 3.2 11B (Bedrock)', 'llama3-2-11b-instruct-v1:0', { input: '0.16', output: '0.16' }),
  bedrock('Llama 3.2 3B (Bedrock)', 'llama3-2-3b-instruct-v1:0', { input: '0.15', output: '0.15' }),
  bedrock('Llama 3.2 1B (Bedrock)', 'llama3-2-1b-instruct-v1:0', { input: '0.1', output: '0.1' }),
  bedrock('Llama 3.1 405B (Bedrock)', 'llama3-1-405b-instruct-v1:0', { input: '2.4', output: '2.4' }),
  bedrock('Llama 3.1 70B (Bedrock)', 'llama3-1-70b-instruct-v1:0', { input: '0.72', output: '0.72' }),
  bedrock('Llama 3.1 8B (Bedrock)', 'llama3-1-8b-instruct-v1:0', { input: '0.22', output: '0.22' }),
  bedrock('Llama 3 70B (Bedrock)', 'llama3-70b-instruct-v1:0', { input: '2.65', output: '3.5' }),
  bedrock('Llama 3 8B (Bedrock)', 'llama3-8b-instruct-v1:0', { input: '0.3', output: '0.6' }),
]
