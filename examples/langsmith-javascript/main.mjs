import { Client } from 'langsmith'
import { traceable } from 'langsmith/traceable'

// A program written for another platform, unchanged; where its traces go is decided outside:
// LANGSMITH_TRACING=true LANGSMITH_ENDPOINT=http://localhost:3000/api/v1 LANGSMITH_PROJECT=examples npm start
const client = new Client()

const weigh = traceable(async (coin) => ({ coin, grams: 7.32 }), { name: 'weigh', run_type: 'tool' })
const assay = traceable(async (coins) => await Promise.all(coins.map((coin) => weigh(coin))), { name: 'assay', client })

console.log(await assay(['ducat', 'florin', 'guinea']))
await client.awaitPendingTraceBatches()
