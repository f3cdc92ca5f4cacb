import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { threadQuery } from '#data/threads.ts'

/** All turns of a conversation without what was said; pages follow by themselves until the last. */
export function useTurns(projectId: string, threadId: string) {
  const list = useInfiniteQuery(threadQuery.turns(projectId, threadId))
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  const turns = useMemo(() => list.data?.pages.flatMap((page) => page.turns) ?? [], [list.data])
  return { list, turns }
}
