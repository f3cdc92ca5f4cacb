import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Archive, Globe, MessageSquareCode, SearchX } from 'lucide-react'
import { evaluateEnvironment } from '#lib/snippets.ts'
import { Button } from '#ui/button.tsx'
import { EnvironmentTabs, SnippetTabs } from '#ui/snippet.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { PROMPTS_SEARCH_DEFAULTS, type PromptsSearch } from '../search.ts'
import { FIRST_PROMPT } from '../snippets.ts'

interface PromptsStateProps {
  tenant: string
  search: PromptsSearch
  list: Pick<UseInfiniteQueryResult, 'isPending' | 'isError' | 'isSuccess' | 'error' | 'refetch'> & { data: unknown }
  isEmpty: boolean
  onChange: (to: Partial<PromptsSearch>) => void
}

/** What is shown above or instead of the table: loading, failures, "no match" and the first push. */
export function PromptsState({ search, list, isEmpty, onChange }: PromptsStateProps) {
  if (list.isPending) return <SkeletonRows rows={14} label="Loading prompts" />
  if (list.isError) {
    const isShown = list.data !== undefined && !isEmpty
    return (
      <ErrorState
        compact={isShown}
        title={isShown ? 'Could not load more prompts' : 'Could not load prompts'}
        error={list.error}
        onRetry={() => void list.refetch()}
      />
    )
  }
  if (!isEmpty) return null
  if (search.q !== '' || search.tag !== undefined) {
    return (
      <EmptyState
        icon={SearchX}
        title="No matching prompts"
        actions={
          <Button onClick={() => onChange({ q: PROMPTS_SEARCH_DEFAULTS.q, tag: undefined })}>Clear search</Button>
        }
      >
        {search.q === ''
          ? `No prompt has the tag “${search.tag}”.`
          : `No prompt has “${search.q}” in its name, description or readme${search.tag === undefined ? '' : ` and the tag “${search.tag}”`}.`}
      </EmptyState>
    )
  }
  if (search.view === 'hub') {
    return (
      <EmptyState
        icon={Globe}
        title="No public prompts"
        actions={<Button onClick={() => onChange({ view: 'mine' })}>Show the prompts of the workspace</Button>}
      >
        Prompts that a workspace makes public appear here for everyone who can reach this server.
      </EmptyState>
    )
  }
  if (search.archived) {
    return (
      <EmptyState
        icon={Archive}
        title="No archived prompts"
        actions={<Button onClick={() => onChange({ archived: undefined })}>Show active prompts</Button>}
      >
        Archive a prompt in its settings to hide it from this list. Programs can still pull it.
      </EmptyState>
    )
  }
  return <NoPrompts />
}

/** The way to the first prompt. */
function NoPrompts() {
  const facts = { origin: location.origin, apiKey: '<your API key>' }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <EmptyState icon={MessageSquareCode} title="No prompts yet">
        A prompt is a named template with a history. Programs pull it by name, commit or tag, so that a change of the
        text needs no release of the program.
      </EmptyState>
      <section aria-label="Push the first prompt" className="mx-auto flex max-w-2xl flex-col gap-3 px-4 pb-10">
        <h2 className="text-form font-semibold">Push the first prompt</h2>
        <EnvironmentTabs snippets={evaluateEnvironment(facts)} />
        <SnippetTabs snippets={FIRST_PROMPT} />
      </section>
    </div>
  )
}
