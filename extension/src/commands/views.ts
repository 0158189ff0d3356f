import { viewDefinitions } from '../viewDefinitions/registry';
import { TABLE_ARGUMENTS, type Command, type CommandNeeds } from './command';
import { targetOf } from './target';

/**
 * One command per view with a tab: it opens that tab for the table in the arguments, on the page in front or in the
 * tree.
 */
export function viewCommands(needs: CommandNeeds): Record<string, Command> {
  const { trans, pages } = needs;
  const commands = viewDefinitions.tabs.map(({ name, tab }) => {
    const command: Command = {
      label: trans.__('Show %1', tab.title(trans)),
      properties: { ...TABLE_ARGUMENTS, ...tab.arguments },
      isEnabled: args => targetOf(needs, args) !== null,
      execute: args => {
        const target = targetOf(needs, args);
        if (target) {
          pages.open(target.name, {
            version: target.version,
            tab: name,
            arguments: viewArguments(args)
          });
        }
      }
    };
    return [`paimon:show-${name}`, command] as const;
  });
  return Object.fromEntries(commands);
}

/** Return those arguments of a command that are arguments of views. */
export function viewArguments(args: {
  readonly [key: string]: unknown;
}): Record<string, string> {
  const names = viewDefinitions.tabs.flatMap(({ tab }) =>
    Object.keys(tab.arguments ?? {})
  );
  const given = names
    .map(name => [name, args[name]] as const)
    .filter((each): each is [string, string] => typeof each[1] === 'string');
  return Object.fromEntries(given);
}
