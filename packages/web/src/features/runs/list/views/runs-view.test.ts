import { describe, expect, it } from 'vitest'
import { RunsSearch } from '#lib/page-search.ts'
import { describeOrder, toRunsView } from './runs-view.ts'

const viewOf = (sort?: string) => toRunsView('p', RunsSearch.parse({ sort }))

describe('the order of the list', () => {
  it.each([
    [undefined, undefined, 'desc', 'Newest first'],
    ['start_time', undefined, 'asc', 'Oldest first'],
    ['-latency', 'latency', 'desc', 'All matching runs by latency, highest first'],
    ['ttft', 'first_token', 'asc', 'All matching runs by time to first token, lowest first'],
    ['-tokens', 'total_tokens', 'desc', 'All matching runs by tokens, highest first'],
    ['cost', 'total_cost', 'asc', 'All matching runs by cost, lowest first'],
  ])('%s is requested from the API and described', (sort, sortBy, order, text) => {
    expect(viewOf(sort)).toMatchObject({ sortBy, order })
    expect(describeOrder(RunsSearch.parse({ sort }).sort)).toBe(text)
  })
})
