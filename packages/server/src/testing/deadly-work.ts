import type { Relational } from '../storage/relational/port.ts'

/** During `work`, each new row of a table is work at whose beginning the process has died twice. */
export async function withDeadlyRows<Result>(
  { runScript }: Pick<Relational, 'runScript'>,
  { table, queue }: { readonly table: string; readonly queue: string },
  work: () => Promise<Result>,
): Promise<Result> {
  await runScript(`
    create or replace function die_twice() returns trigger language plpgsql as $$
    begin
      insert into job_deaths (queue, subject, deaths, last_at) values ('${queue}', new.id::text, 2, now());
      return new;
    end $$`)
  await runScript(`create trigger die_twice after insert on ${table} for each row execute function die_twice()`)
  try {
    return await work()
  } finally {
    await runScript(`drop trigger die_twice on ${table}`)
  }
}
