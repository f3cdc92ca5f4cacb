import { Client as OurClient } from '@touchstone/sdk'
import { Client as PublicClient } from 'langsmith'
import { Client as FormerClient } from 'langsmith-of-2025'
import { Client as PreviousClient } from 'langsmith-previous'
import { isFull } from '../../support/scale.ts'

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

const newest: Kind = { name: 'the public JavaScript client', make: (url) => as(new PublicClient(config(url))) }
const previous: Kind = { name: 'the public JavaScript client 0.10', make: (url) => as(new PreviousClient(config(url))) }
const oldest: Kind = { name: 'the public JavaScript client of 2025', make: (url) => as(new FormerClient(config(url))) }
const ours: Kind = { name: 'our client', make: (url) => new OurClient(config(url)) }

/** The newest and the oldest version and our client; the full tests run the version between them too. */
export const EVERY_CLIENT: readonly Kind[] = isFull ? [newest, previous, oldest, ours] : [newest, oldest, ours]

/** Those that can still search: the newer public ones no longer do. */
export const SEARCHING_CLIENTS: readonly Kind[] = [oldest, ours]

function as(client: object): EveryClient {
  return client as EveryClient
}
