import type { RequestReceipt } from '@touchstone/sdk'
import { Fragment, useState } from 'react'
import { cx } from '#lib/browser.ts'
import { formatAbsoluteTime, formatCompactTime, formatCount } from '#lib/format.ts'
import { describeProblem, describeSender } from './receipts.ts'

/** Ingest requests, newest first; a row unfolds its rejected items and warnings. */
export function ReceiptTable({ receipts }: { receipts: readonly RequestReceipt[] }) {
  const [openId, setOpenId] = useState<string>()
  return (
    <table className="w-full table-fixed text-left text-row">
      <thead className="border-b border-border text-meta text-fg-subtle">
        <tr className="h-7">
          <th scope="col" className="w-32 px-3 font-normal">
            Received
          </th>
          <th scope="col" className="px-3 font-normal max-md:hidden">
            From
          </th>
          <th scope="col" className="num w-24 px-3 font-normal max-sm:w-20">
            Accepted
          </th>
          <th scope="col" className="num w-24 px-3 font-normal max-sm:w-20">
            Rejected
          </th>
          <th scope="col" className="px-3 font-normal max-sm:hidden">
            Problem
          </th>
        </tr>
      </thead>
      <tbody>
        {receipts.map((receipt) => {
          const isOpen = openId === receipt.id
          return (
            <Fragment key={receipt.id}>
              <tr className="h-9 border-b border-border hover:bg-hover">
                <th scope="row" className="px-3 font-normal tabular-nums">
                  <button
                    type="button"
                    aria-expanded={isOpen}
                    onClick={() => setOpenId(isOpen ? undefined : receipt.id)}
                    className="h-6 hover:underline coarse:h-10"
                  >
                    {formatCompactTime(receipt.received_at)}
                  </button>
                </th>
                <td dir="auto" className="truncate px-3 max-md:hidden">
                  {describeSender(receipt)}
                </td>
                <td className="num px-3">{formatCount(receipt.accepted)}</td>
                <td className={cx('num px-3', receipt.rejected > 0 && 'text-err')}>{formatCount(receipt.rejected)}</td>
                <td dir="auto" className="truncate px-3 max-sm:hidden">
                  {describeProblem(receipt)}
                </td>
              </tr>
              {isOpen && (
                <tr className="border-b border-border bg-sunken">
                  <td colSpan={5} className="p-3">
                    <ReceiptDetails receipt={receipt} />
                  </td>
                </tr>
              )}
            </Fragment>
          )
        })}
      </tbody>
    </table>
  )
}

function ReceiptDetails({ receipt }: { receipt: RequestReceipt }) {
  const facts: readonly (readonly [string, string])[] = [
    ['Received', formatAbsoluteTime(receipt.received_at)],
    ['Route', `${receipt.route}, status ${receipt.status}`],
    ['From', describeSender(receipt)],
    ['User agent', receipt.user_agent],
    ['Projects', receipt.projects.join(', ')],
    ['Refused', receipt.error],
  ]
  return (
    <div className="flex flex-col gap-2 [overflow-wrap:anywhere]">
      <dl className="flex flex-col gap-1">
        {facts
          .filter(([, value]) => value !== '')
          .map(([label, value]) => (
            <div key={label} className="flex gap-3">
              <dt className="w-24 shrink-0 text-fg-muted">{label}</dt>
              <dd dir="auto" className="min-w-0">
                {value}
              </dd>
            </div>
          ))}
      </dl>
      {receipt.items.length > 0 && (
        <ul className="flex flex-col gap-1">
          {receipt.items.map(({ id, outcome, reason }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a request may name the same run twice, and the list never changes
            <li key={at} dir="auto">
              <span className={outcome === 'rejected' ? 'text-err' : 'text-fg-muted'}>
                {outcome === 'rejected' ? 'Rejected' : 'Warning'}
              </span>{' '}
              {id}: {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
