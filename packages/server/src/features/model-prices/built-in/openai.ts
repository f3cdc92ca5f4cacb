import { type PerMillion, priceList } from './price.ts'

const price = priceList('https://openai.com/api/pricing, as known in November 2025')
const DATED = '(-\\d{4}-\\d{2}-\\d{2})?'

const cost = (input: string, output: string, cacheRead?: string, more: Partial<PerMillion> = {}): PerMillion => ({
  input,
  output,
  ...(cacheRead && { inputDetails: { cache_read: cacheRead } }),
  ...more,
})

const spoken = (input: string, output: string, audioInput: string, audioOutput: string, cacheRead?: string) => ({
  input,
  output,
  inputDetails: { audio: audioInput, ...(cacheRead && { cache_read: cacheRead }) },
  outputDetails: { audio: audioOutput },
})

export const openai = [
  price('gpt-5.1', `gpt-5\\.1(-chat-latest|-codex)?${DATED}`, cost('1.25', '10', '0.125')),
  price('gpt-5.1-codex-mini', `gpt-5\\.1-codex-mini${DATED}`, cost('0.25', '2', '0.025')),
  price('gpt-5', `gpt-5(-chat-latest|-codex)?${DATED}`, cost('1.25', '10', '0.125')),
  price('gpt-5-mini', `gpt-5-mini${DATED}`, cost('0.25', '2', '0.025')),
  price('gpt-5-nano', `gpt-5-nano${DATED}`, cost('0.05', '0.4', '0.005')),
  price('gpt-5-pro', `gpt-5-pro${DATED}`, cost('15', '120')),
  price('gpt-4.1', `gpt-4\\.1${DATED}`, cost('2', '8', '0.5')),
  price('gpt-4.1-mini', `gpt-4\\.1-mini${DATED}`, cost('0.4', '1.6', '0.1')),
  price('gpt-4.1-nano', `gpt-4\\.1-nano${DATED}`, cost('0.1', '0.4', '0.025')),
  price('gpt-4o', 'gpt-4o', cost('5', '15')),
  price('gpt-4o', 'gpt-4o', cost('2.5', '10', '1.25', { since: '2024-10-02' })),
  price('gpt-4o-2024-05-13', 'gpt-4o-2024-05-13', cost('5', '15')),
  price('gpt-4o', 'gpt-4o-2024-(08-06|11-20)', cost('2.5', '10', '1.25')),
  price('chatgpt-4o-latest', 'chatgpt-4o-latest', cost('5', '15')),
  price('gpt-4o-mini', `gpt-4o-mini${DATED}`, cost('0.15', '0.6', '0.075')),
  price('gpt-4o-search-preview', `gpt-4o-search-preview${DATED}`, cost('2.5', '10')),
  price('gpt-4o-mini-search-preview', `gpt-4o-mini-search-preview${DATED}`, cost('0.15', '0.6')),
  price('gpt-4o-audio-preview', `gpt-4o-audio-preview${DATED}`, spoken('2.5', '10', '40', '80')),
  price('gpt-4o-mini-audio-preview', `gpt-4o-mini-audio-preview${DATED}`, spoken('0.15', '0.6', '10', '20')),
  price('gpt-audio', `gpt-audio${DATED}`, spoken('2.5', '10', '32', '64')),
  price('gpt-realtime', `gpt-realtime${DATED}`, spoken('4', '16', '32', '64', '0.4')),
  price('gpt-4o-realtime-preview', `gpt-4o-realtime-preview${DATED}`, spoken('5', '20', '40', '80', '2.5')),
  price(
    'gpt-4o-mini-realtime-preview',
    `gpt-4o-mini-realtime-preview${DATED}`,
    spoken('0.6', '2.4', '10', '20', '0.3'),
  ),
  price('o1', `o1(-preview)?${DATED}`, cost('15', '60', '7.5')),
  price('o1-mini', `o1-mini${DATED}`, cost('1.1', '4.4', '0.55')),
  price('o1-pro', `o1-pro${DATED}`, cost('150', '600')),
  price('o3', `o3${DATED}`, cost('10', '40', '2.5')),
  price('o3', `o3${DATED}`, cost('2', '8', '0.5', { since: '2025-06-10' })),
  price('o3-pro', `o3-pro${DATED}`, cost('20', '80')),
  price('o3-mini', `o3-mini${DATED}`, cost('1.1', '4.4', '0.55')),
  price('o4-mini', `o4-mini${DATED}`, cost('1.1', '4.4', '0.275')),
  price('o3-deep-research', `o3-deep-research${DATED}`, cost('10', '40', '2.5')),
  price('o4-mini-deep-research', `o4-mini-deep-research${DATED}`, cost('2', '8', '0.5')),
  price('codex-mini-latest', 'codex-mini-latest', cost('1.5', '6', '0.375')),
  price('computer-use-preview', `computer-use-preview${DATED}`, cost('3', '12')),
  price(
    'gpt-4-turbo',
    'gpt-4(-turbo(-preview|-2024-04-09)?|-1106(-vision)?-preview|-0125-preview|-vision-preview)',
    cost('10', '30'),
  ),
  price('gpt-4', 'gpt-4(-0314|-0613)?', cost('30', '60')),
  price('gpt-4-32k', 'gpt-4-32k(-0314|-0613)?', cost('60', '120')),
  price('gpt-3.5-turbo', 'gpt-3\\.5-turbo(-0125)?', cost('0.5', '1.5')),
  price('gpt-3.5-turbo-1106', 'gpt-3\\.5-turbo-1106', cost('1', '2')),
  price('gpt-3.5-turbo-0613', 'gpt-3\\.5-turbo-(0301|0613|instruct(-0914)?)', cost('1.5', '2')),
  price('gpt-3.5-turbo-16k', 'gpt-3\\.5-turbo-16k(-0613)?', cost('3', '4')),
  price('davinci-002', 'davinci-002', cost('2', '2')),
  price('babbage-002', 'babbage-002', cost('0.4', '0.4')),
  price('text-embedding-3-small', 'text-embedding-3-small', cost('0.02', '0')),
  price('text-embedding-3-large', 'text-embedding-3-large', cost('0.13', '0')),
  price('text-embedding-ada-002', 'text-embedding-ada-002', cost('0.1', '0')),
]
