import { sql } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import type { QueueRow } from '../../storage/relational/tables/annotation-queues.ts'

/**
 * A queue asks for more or fewer reviewers than before: items that now have enough are completed, others wait again.
 *
 * @param queue  locked
 */
export async function settleItems(tx: Database, queue: QueueRow, required: number): Promise<void> {
  await tx.execute(sql`
    update annotation_queue_items as item
    set completed_at = case when done.completions >= ${required}::int then done.last_at end
    from (
      select item_id, count(completed_at) as completions, max(completed_at) as last_at
      from annotation_queue_reviews
      where item_id in (select id from annotation_queue_items where queue_id = ${queue.id})
      group by item_id
    ) as done
    where item.id = done.item_id and item.queue_id = ${queue.id} and item.tenant_id = ${queue.tenant_id}
      and (item.completed_at is not null) <> (done.completions >= ${required}::int)`)
}
