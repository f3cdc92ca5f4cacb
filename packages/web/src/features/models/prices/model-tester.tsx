import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { TextField } from '#ui/field.tsx'
import { groupPrices } from './model-prices.ts'
import { PriceTable } from './price-tables.tsx'
import { modelPriceQuery } from './queries.ts'

/** Shows which price applies to a model name while it is typed. */
export function ModelTester() {
  const [model, setModel] = useState('')
  const [provider, setProvider] = useState('')
  const asked = useDeferredValue(model.trim())
  const test = useQuery(modelPriceQuery.test(asked, useDeferredValue(provider.trim())))
  const answer = asked === '' ? undefined : test.data
  return (
    <section aria-label="Price test" className="rounded-card border border-border bg-surface">
      <div className="grid gap-3 px-4 py-3 sm:grid-cols-[1fr_12rem]">
        <TextField
          label="Test a model name"
          value={model}
          maxLength={500}
          placeholder="For example gpt-4o-mini-2024-07-18"
          autoComplete="off"
          onChange={setModel}
          isCode
        />
        <TextField
          label="Provider"
          value={provider}
          maxLength={300}
          placeholder="Any"
          spellCheck={false}
          autoComplete="off"
          onChange={setProvider}
        />
      </div>
      <div role="status" className="text-row">
        {answer?.price === null && (
          <p className="border-t border-border px-4 py-2 text-warn">
            No price matches. Runs of this model would have no cost.
            {answer.others.length > 0 && ' A price matches at another time.'}
          </p>
        )}
        {answer?.price && (
          <div className="border-t border-border">
            <PriceTable label="Matching price" families={groupPrices([answer.price])} />
            {answer.others.length > 0 && (
              <p className="px-3 py-1.5 text-fg-muted">
                {answer.others.length === 1 ? 'Another price matches' : `${answer.others.length} other prices match`}{' '}
                with lower priority: {answer.others.map((price) => price.name).join(', ')}.
              </p>
            )}
          </div>
        )}
      </div>
    </section>
  )
}
