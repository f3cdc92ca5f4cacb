import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { formatRelativeTime } from '#lib/format.ts'
import type { SelectOption } from '#lib/select.ts'
import { useAllPages } from '#ui/hooks.tsx'
import { Select, type SelectProps } from '#ui/select.tsx'
import { type PromptKey, shortHash } from '../prompt-key.ts'
import { promptQuery } from '../queries.ts'

interface PromptVersionSelectProps extends Pick<SelectProps<string>, 'size' | 'className' | 'id'> {
  prompt: PromptKey
  label: string
  /** `latest`, a tag, or a hash. */
  value: string
  onChange: (reference: string) => void
}

/** Chooses the newest commit, a tag, or any commit of a prompt. */
export function PromptVersionSelect({ prompt, label, value, onChange, ...look }: PromptVersionSelectProps) {
  const tags = useQuery(promptQuery.commitTags(prompt)).data
  const history = useAllPages(useInfiniteQuery(promptQuery.history(prompt))).data
  const options = useMemo((): SelectOption[] => {
    const commits = history?.pages.flatMap((page) => page.commits) ?? []
    return [
      { value: 'latest', label: 'The newest commit' },
      ...(tags ?? []).map(({ tag_name, commit_hash }) => ({
        value: tag_name,
        label: `Tag ${tag_name} (${shortHash(commit_hash)})`,
      })),
      ...commits.map(({ commit_hash, description, created_at }) => ({
        value: commit_hash,
        label: [shortHash(commit_hash), description?.slice(0, 80), formatRelativeTime(created_at)]
          .filter(Boolean)
          .join(' · '),
      })),
    ]
  }, [tags, history])
  const isListed = options.some((option) => option.value === value)
  const own = isListed ? [] : [{ value, label: `Commit ${shortHash(value)}` }]
  return <Select {...look} aria-label={label} value={value} onChange={onChange} options={[...own, ...options]} />
}
