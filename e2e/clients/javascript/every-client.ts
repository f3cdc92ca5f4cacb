import { Client as OurClient } from '@touchstone/sdk'
import { Client as PublicClient } from 'langsmith'
import { Client as FormerClient } from 'langsmith-of-2025'
import { Client as PreviousClient } from 'langsmith-previous'

/**
 * The calls that all clients share, as ours types them: what a user has written against one must do the same with the
 * others.
 */
export type EveryClient = OurClient

interface Kind {
  name: string
  make(serverUrl: string): EveryClient
}

const config = (serverUrl: string) => ({ apiUrl: `${serverUrl}/api/v1`, apiKey: 'any key while the server is open' })

export const EVERY_CLIENT: readonly Kind[] = [
  { name: 'the public JavaScript client', make: (url) => as(new PublicClient(config(url))) },
  { name: 'the public JavaScript client 0.10', make: (url) => as(new PreviousClient(config(url))) },
  { name: 'the public JavaScript client of 2025', make: (url) => as(new FormerClient(config(url))) },
  { name: 'our client', make: (url) => new OurClient(config(url)) },
]

/** Those that can still search: the newer public ones no longer do. */
export const SEARCHING_CLIENTS = EVERY_CLIENT.slice(2)

function as(client: object): EveryClient {
  return client as EveryClient
}
