import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { queueQuery } from '#data/queues.ts'
import { NameField } from '#ui/name-field.tsx'

/** Asks for an annotation queue, an existing one or a new one. */
export function QueueField({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const known = useQuery({ ...queueQuery.named(useDeferredValue(value.trim())), placeholderData: keepPreviousData })
  return (
    <NameField
      label="Queue"
      value={value}
      onChange={onChange}
      names={known.data?.map(({ name }) => name) ?? []}
      whenNew={known.isFetching ? '' : 'No queue has this name: it will be created.'}
      placeholder="Pick one, or name a new one"
    />
  )
}
