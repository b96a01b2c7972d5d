<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" sourcelanguage="en">
  <context>
    <name>Playhead</name>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <location filename="../../app/playhead/ui/sidebar/search_results.py" />
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>Output</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Figure</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <location filename="../../app/playhead/ui/dialogs/table_file.py" />
      <location filename="../../app/playhead/ui/dialogs/table_window.py" />
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>Table</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Formatted text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <location filename="../../app/playhead/ui/timeline/cards/problem_card.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>Error</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Question</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>File</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Package</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>The inputs are copied…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>An environment with the recorded versions is made…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>The results are compared…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Check “{name}”</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Run this again from the top?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>All code of the export</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Environment</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>New environment with the recorded versions</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Present environment</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Run all of it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <location filename="../../app/playhead/ui/composer/button_row.py" />
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <location filename="../../app/playhead/ui/playback/playback_view.py" />
      <location filename="../../app/playhead/ui/sidebar/conversation_menus.py" />
      <source>Stop</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <location filename="../../app/playhead/ui/dialogs/about_dialog.py" />
      <location filename="../../app/playhead/ui/dialogs/crash_view.py" />
      <location filename="../../app/playhead/ui/dialogs/packages_dialog.py" />
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <location filename="../../app/playhead/ui/dialogs/update_dialog.py" />
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <location filename="../../app/playhead/ui/widgets/banner.py" />
      <source>Close</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Cells and differences</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Cell {number}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>It runs without a sandbox: as you, with all your files.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>In an empty copy of its inputs; the working folder stays as it is.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>The export is being checked</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Cell {number} of {total} runs…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Proved: it gives again what is recorded</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>%n differences from what is recorded</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Inputs: {names}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>The report is in the export.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>The export was left as it is.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>It runs in the sandbox, without the network.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>It runs in the sandbox, with the network that its policy allows.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Installed for it from the package index: {names}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Run again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Files and packages</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Python {version} in a new environment with the recorded versions.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Python {version} in the present environment.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Its code imported no packages.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>The check was stopped</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Nothing was written into the export.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>The check failed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>This is a fault of Playhead, not of the export.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <source>Differs every time, not compared: {what}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/check_view.py" />
      <location filename="../../app/playhead/checking/judgement.py" />
      <source>No versions of packages are recorded.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/side_by_side.py" />
      <source>Recorded</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/side_by_side.py" />
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <source>Now</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/side_by_side.py" />
      <source>Nothing</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/checks/side_by_side.py" />
      <source>Likely: {cause}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/command_palette.py" />
      <source>No command or conversation has that name.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/command_palette.py" />
      <source>Commands</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/command_palette.py" />
      <source>Type a command or a conversation's name</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/command_palette.py" />
      <source>Command</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/command_palette.py" />
      <source>Matching commands</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/command_palette.py" />
      <source>Not possible now</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Everywhere</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>When code waits for you</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <location filename="../../app/playhead/ui/settings/settings_dialog.py" />
      <location filename="../../app/playhead/ui/shell/window_help.py" />
      <location filename="../../app/playhead/ui/shell/window_layout.py" />
      <location filename="../../app/playhead/ui/timeline/view.py" />
      <source>Conversation</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <location filename="../../app/playhead/ui/shell/window_layout.py" />
      <source>Editor</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <location filename="../../app/playhead/ui/desktop/desktop_presence.py" />
      <location filename="../../app/playhead/ui/sidebar/conversation_menus.py" />
      <location filename="../../app/playhead/ui/sidebar/sidebar.py" />
      <source>New conversation</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>All commands…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <location filename="../../app/playhead/ui/sidebar/sidebar.py" />
      <source>Search conversations</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>Settings…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Folders and reset…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Show or hide the sidebar</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Show or hide the editor</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Attach files…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Choose the working folder…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Runs on: where it runs (interpreter, server, machine)…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Connect to a cluster: Dask…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Connect to a cluster: Ray…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Export conversation…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Export and check…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Replay the conversation…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Import conversation…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Run the code in the editor</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Go to the next pane</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Zoom in</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Zoom out</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Zoom to the normal size</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Go to the message field</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Rename conversation…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Undo the last run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Redo what was undone last</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Run all code of the conversation again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>View what is sent to the model…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>What code may do…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>Restart kernel</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Guided example</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Keyboard shortcuts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Log…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Crash reports…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Check for updates…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <location filename="../../app/playhead/ui/dialogs/about_dialog.py" />
      <source>About Playhead</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <location filename="../../app/playhead/ui/desktop/desktop_presence.py" />
      <source>Quit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Run it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Run it and all that follows</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Edit it first</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Skip it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <source>Skip it and say why</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <location filename="../../app/playhead/ui/editor/pane/editor_find_bar.py" />
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Find</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Find next</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/key_bindings.py" />
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Find previous</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Reset all</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>New keys</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Set</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>No keys</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>Reset</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <location filename="../../app/playhead/ui/composer/composer.py" />
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <location filename="../../app/playhead/ui/dialogs/packages_dialog.py" />
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <location filename="../../app/playhead/ui/settings/settings_dialog.py" />
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>Cancel</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Press the new keys for “{text}”</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Click keys to change them.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Message field</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <location filename="../../app/playhead/ui/composer/button_row.py" />
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <location filename="../../app/playhead/ui/timeline/cards/input_line.py" />
      <source>Send</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>New line</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Earlier messages</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Edit the last message and send it again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Stop, or leave what is edited</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>From the empty field to the attachments</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Next button</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Next entry</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Previous entry</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Open or fold the entry</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Copy the entry</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Run the entry's code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Edit the question and send it again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Delete the entry's turn</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Previous version</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Next version</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Draw the selection on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Menu of the entry</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Copy what is selected</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Copy it as Markdown</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Jump to the latest</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <location filename="../../app/playhead/ui/desktop/desktop_presence.py" />
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/run_rail.py" />
      <source>Playhead</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Look at the run before</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Look at the next run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>A line back in its code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>A line on in its code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Look at the first run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <location filename="../../app/playhead/ui/timeline/past_bar.py" />
      <source>Back to now</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Sidebar</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <location filename="../../app/playhead/ui/shell/window_layout.py" />
      <location filename="../../app/playhead/ui/sidebar/conversation_menus.py" />
      <source>Rename</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <location filename="../../app/playhead/ui/dialogs/crash_view.py" />
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <location filename="../../app/playhead/ui/sidebar/conversation_menus.py" />
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Delete</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Undo a deletion</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Menu</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Search by name or key</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Search shortcuts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Shortcuts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>No shortcut is called like that.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <source>None</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>{text}: {keys}. Change it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>{keys} is needed for typing. Add Ctrl or Alt.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Take them</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Changed by you. Click to change it again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Click to change it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>{keys} is “{text}”, which would go without.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/commands/shortcuts_page.py" />
      <source>Esc leaves it as it is.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/allow_menu.py" />
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>The kernel is restarted: its variables are lost.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <source>%n pages</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <source>The model receives the path, and this as it is when you send it:</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <source>This model cannot see images. It receives the path, so that code can open it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <source>The model receives the path and can read it by code.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <location filename="../../app/playhead/ui/timeline/cards/table_columns.py" />
      <source>%n columns</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <location filename="../../app/playhead/ui/dialogs/table_window.py" />
      <location filename="../../app/playhead/ui/timeline/cards/table_columns.py" />
      <source>%n rows</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <source>the model gets {columns} with types, {rows}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <source>read by the model</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <source>It is sent with the message, and its path for code.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <source>this model cannot see it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <source>shown to the model</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <source>It is converted and sent, with its path.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <source>for code to open</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <source>the model gets the first %n entries</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <source>the model gets the tree of %n entries</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <source>too large to send, for code to open</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <source>Remove (Delete)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_chips.py" />
      <source>Remove {join}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <source>no readable image, sent as a file</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <source>%n lines</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <source>“{name}” cannot be read.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <source>“{name}” is not a regular file.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <source>The image “{name}” is too large to send.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <source>{number:,.0f} megapixels, sent as a file</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <source>The pasted image could not be kept.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <source>“{name}” cannot be attached.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <source>You have no permission to read it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <source>Change its permissions or attach a copy.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <source>Attach a file, an image or a folder.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <source>It has {size}; the limit is {size_2}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <source>Attach a smaller copy, or name its path in your message so that code opens it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <source>The pasted text could not be kept as a file.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <source>Make room in {folder} or check its permissions.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <source>Check that it still exists and that you may read it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <source>Make room in {folder}, or attach the file that it comes from.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/attachment_files.py" />
      <source>It could not be read.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/button_row.py" />
      <source>Direct mode</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/button_row.py" />
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Ask before code runs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/button_row.py" />
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>Run code without asking in this conversation</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/button_row.py" />
      <source>auto-run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/button_row.py" />
      <source>ask first</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/button_row.py" />
      <source>{direct}: no model</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/button_row.py" />
      <source>Model and approval: {model}, {policy}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/button_row.py" />
      <source>Attach files (Ctrl+Shift+A)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/button_row.py" />
      <location filename="../../app/playhead/ui/composer/composer.py" />
      <source>Attach files</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/button_row.py" />
      <source>Queue</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/button_row.py" />
      <source>Send when this turn has ended (Enter)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/button_row.py" />
      <source>Stop (Esc)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/button_row.py" />
      <source>Send (Enter)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/composer.py" />
      <source>Keeping what you pasted as a file…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/composer.py" />
      <source>Editing your message: what came after it stays as a branch</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/composer.py" />
      <source>Editing a queued message: it keeps its place</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/composer.py" />
      <source>Leave it as it was (Esc)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/composer.py" />
      <source>Describe a task…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/composer.py" />
      <source>Type code to run…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/composer.py" />
      <source>Write what comes next: it waits for the end of this turn…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/composer.py" />
      <source>What you write waits for the end of this turn, and goes on from now…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Run these {count} blocks, some in the kernel “{name}”?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Run these {count} blocks in the kernel “{name}”?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Run this {language} on {machine}?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Run, and don't ask again in this turn</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Edit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Skip</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Skip with a reason…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Run this code on your computer?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>More answers</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Why not? The model sees your answer.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Reason for skipping</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Run {chosen} of {count}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Skip all</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Run this code on this computer, not on {machine}?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Run your edited code on your computer?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Run this code in the Jupyter kernel “{name}”?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Run these {count} blocks, some on {machine}, some on this computer?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Run this {language} on {machine}, in the kernel that others use too ({name})?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Run this {language} on {machine} in {folder}?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Continue</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Stop here</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Code waits for your approval. {words}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Run all in order</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>in {folder}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>as you edited it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Python: {interpreter}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Kernel: {path}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Folder: {folder}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Run these {count} blocks on this computer, not on {machine}?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Run these {count} blocks on your computer?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Run these {count} blocks on {machine}?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <location filename="../../app/playhead/ui/editor/pane/editor_pane.py" />
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <location filename="../../app/playhead/ui/editor/tab.py" />
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <source>edited</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/decision_bars.py" />
      <source>Raise to {amount} and continue</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/composer/fact_strip.py" />
      <source>Pause before these %n lines</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/fact_strip.py" />
      <source>More that was seen in this code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/fact_strip.py" />
      <location filename="../../app/playhead/ui/editor/pane/diff_view.py" />
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Changes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/fact_strip.py" />
      <source>Compare it with the code that you approved last</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/fact_strip.py" />
      <source>Changes since the code that you approved last</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/fact_strip.py" />
      <source>Same as approved at {time}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/fact_strip.py" />
      <source>{count} more</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/message_field.py" />
      <source>Message</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/model_picker.py" />
      <source>Enter: choose</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/model_picker.py" />
      <location filename="../../app/playhead/ui/settings/settings_dialog.py" />
      <source>Models</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/model_picker.py" />
      <source>Search models and profiles</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/model_picker.py" />
      <source>Matching models</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/model_picker.py" />
      <source>in use</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/model_picker.py" />
      <source>favourite</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/model_picker.py" />
      <source>No model has that name. Any can be typed in the settings.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/model_picker.py" />
      <source>no favourite any more</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/model_picker.py" />
      <source>make it a favourite</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <location filename="../../app/playhead/ui/sidebar/search_results.py" />
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>Code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>It runs without asking, with all your rights on this computer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>free</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>No profile: as in the settings</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>runs code without asking</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>{price} for a million tokens in / out</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>Favourites</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>Recent</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <location filename="../../app/playhead/ui/settings/settings_dialog.py" />
      <source>Profiles</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>tools</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>calls tools</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>vision</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>sees images</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>reasoning</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>thinks before it answers</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>reads {size} tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>Direct mode (no model)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>No model</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <location filename="../../app/playhead/ui/sidebar/conversation_menus.py" />
      <source>More</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>no tools</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/picker_rows.py" />
      <source>writes code in fences, as it calls no tools</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/composer/queue_rows.py" />
      <source>%n messages wait for the end of this turn</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/composer/queue_rows.py" />
      <source>%n messages wait until you resume</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/queue_rows.py" />
      <source>Edit “{name}”</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/queue_rows.py" />
      <source>Remove “{name}”</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/queue_rows.py" />
      <source>Send now</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/queue_rows.py" />
      <source>Send what waits, one after the other</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/queue_rows.py" />
      <source>Queued messages</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/queue_rows.py" />
      <source>being edited below</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/queue_rows.py" />
      <source>The turn was stopped or failed: nothing is sent until you resume.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>new</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>changed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>moved</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>deleted</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>Changes in the copy</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>Only files that are not listed would change.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>Apply %n chosen</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <source>Discard</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>Code is running: decide when it has ended.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>Files that would change</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>What would change in the file</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>In a copy folders cannot be renamed, files with several names come apart, and large files are copied when they are first changed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>Hide the files</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>Show the files</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>%n more files would change.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>Nothing has happened to your folder yet. {count}</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>%n more are not listed.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>You have changed %n of them meanwhile: they stay as they are unless you tick them.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>Applying…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>Apply all</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>new folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>changed by you, too</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>%n files</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>no undo: {reason}</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>%n files would change.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>Your change:</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/composer/review_pane.py" />
      <source>The change of the code:</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>Code is running in “{title}”.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>Code waits for your answer in “{title}”.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>Code waits for your decision in “{title}”.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>Code runs or waits in %n conversations.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>Close Playhead</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>It can run on without Playhead. The next run there shows what it has printed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>Let it run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>Stop it and close</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>The log-out was cancelled. Stop the code and log out again, or let it go on.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>With the window hidden it goes on; start Playhead again to see the window. Stopped code is cut off, and its variables are lost.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>Stop and close</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>Keep Playhead running when its window is closed?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>Runs go on, and the icon in the tray brings the window back. You are asked once; the settings can change it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>Keep running</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>Code is running on {machine}.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>Code is running on %n other machines.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>Log out</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/closing_question.py" />
      <source>Hide window and go on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/desktop_presence.py" />
      <source>Playhead: something waits for you</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/desktop_presence.py" />
      <source>Playhead: running</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/desktop_presence.py" />
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <location filename="../../app/playhead/ui/shell/window_help.py" />
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Show</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/notifications.py" />
      <source>Finished</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/notifications.py" />
      <source>Code waits for your decision</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/desktop/notifications.py" />
      <source>The running code waits for your answer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/about_dialog.py" />
      <source>Code that you can watch, on your own files.
MIT licence.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/about_dialog.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>Versions</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/about_dialog.py" />
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>Copy for a report</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/about_dialog.py" />
      <location filename="../../app/playhead/ui/dialogs/crash_view.py" />
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Copied</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/about_dialog.py" />
      <source> (packaged)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/crash_view.py" />
      <source>These files are on this computer only: Playhead sends nothing. They name places in the program, and contain no keys and no text of your conversations. Copy one into a report if you like, or delete them.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/crash_view.py" />
      <source>Playhead ended unexpectedly</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/crash_view.py" />
      <source>something failed, Playhead went on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/crash_view.py" />
      <source>Crash reports</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/crash_view.py" />
      <source>Which report</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/crash_view.py" />
      <source>The report</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/crash_view.py" />
      <source>Nothing has crashed. Good.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/crash_view.py" />
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>Open the folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/crash_view.py" />
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <location filename="../../app/playhead/ui/dialogs/table_window.py" />
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Copy</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <source>You attached it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <source>One name a line. Without a port it is reached at 80 and 443.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <source>Granted and denied</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <source>Grant or deny…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <source>Revoke</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <source>Revoke: {what}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <source>What is granted or denied</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Choose…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <source>For how long</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <source>Grant</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <source>Deny</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <source>Choose a folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <source>Places in the network</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <source>Beyond the choices above. A denial beats a grant; what is revoked ends now.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <source>Nothing is granted or denied beyond the choices above.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/grants_view.py" />
      <source>Show the code that asked for it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>Address</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>Proxy</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>File of certificates</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>Extra parameters</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <source>The provider's own</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>As the system says</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>The system's certificates</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <source>The key “{name}” would go another way</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <source>The settings name another way than before, and it was not set in this window: you or a program may have written their file. Nothing was sent yet.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <source>The way of a key</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <source>Use the new way</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <source>Keep the old</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <source>Remove key</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <source>It is read from {variable}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <source>It is kept in the system's keyring.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <source>It is kept in memory.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <source>It came with the request.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/key_route_dialog.py" />
      <source>So far</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>Model worker</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>All levels</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>Info and above</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>Warnings and errors</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>Errors only</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>Log</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>Which log</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>Level</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>Only lines with…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>Only lines with this text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>Follow</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>Lines of the log</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>The versions and the last lines, without keys and the name of your folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>Nothing has been noted here yet.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>No line is like that.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/log_view.py" />
      <source>The last {lines}; the file has more.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/packages_dialog.py" />
      <source>They are downloaded again in these versions and installed into {environment}: all conversations that use it have them then, also outside of the sandbox, where code that imports them runs as you. What code has put into the sandbox is not copied, but it could have named any package here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/packages_dialog.py" />
      <source>Only wheels are taken: nothing of theirs runs while they are installed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/packages_dialog.py" />
      <source>Keep in the environment</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/packages_dialog.py" />
      <source>Build those that have no wheel, too</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/packages_dialog.py" />
      <source>What builds a package is code of its own. It may do all that you may.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/packages_dialog.py" />
      <source>{package} in place of {version}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/packages_dialog.py" />
      <source>Install these packages outside of the sandbox?</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/dialogs/packages_dialog.py" />
      <source>Install %n packages</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/packages_dialog.py" />
      <source>They are being downloaded and installed…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/picture_view.py" />
      <source>Save picture</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/picture_view.py" />
      <location filename="../../app/playhead/ui/timeline/cards/picture_decoder.py" />
      <source>The picture is not a regular file.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/picture_view.py" />
      <source>The picture could not be copied.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/picture_view.py" />
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>{name} could not be written.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/picture_view.py" />
      <source>Smaller (-)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/picture_view.py" />
      <source>Larger (+)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/picture_view.py" />
      <source>Fit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/picture_view.py" />
      <location filename="../../app/playhead/ui/timeline/cards/result_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Copy picture</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/picture_view.py" />
      <location filename="../../app/playhead/ui/timeline/cards/result_cards.py" />
      <source>Save picture…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/picture_view.py" />
      <source>Close (Esc)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/picture_view.py" />
      <location filename="../../app/playhead/ui/timeline/cards/result_cards.py" />
      <source>Loading the picture…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/picture_view.py" />
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <location filename="../../app/playhead/execution/process_executor.py" />
      <source>Choose another folder.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/picture_view.py" />
      <source>Picture {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>What cannot be held here:</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>{held} of {made}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>This conversation runs on {machine}, where none of this holds. What you choose is for code that runs on this computer.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>Attempts of the boundary test</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>Show them</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>Test again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>Copy the line</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>The boundary is being tested</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>The sandbox of this computer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>What code may do</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>Apply</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <location filename="../../app/playhead/ui/widgets/file_dialog.py" />
      <source>Files</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <location filename="../../app/playhead/ui/settings/settings_dialog.py" />
      <source>Network</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>Review before it lands</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>For this conversation, until Playhead is closed. No model and no code changes it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>What is missing: {problem}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>What to do: {remedy}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>Testing…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>Hide them</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/policy_sheet.py" />
      <source>For the same reason.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <location filename="../../app/playhead/ui/settings/conversation_page.py" />
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>System prompt</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <location filename="../../app/playhead/ui/sidebar/search_results.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>You</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>Model</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <location filename="../../app/playhead/ui/timeline/cards/result_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>Result</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>[Picture of {size} bytes]</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>~{count} tokens</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>%n messages</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>What is sent to the model</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>Text of the part</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>Copy as JSON</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>Refresh</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>Nothing is sent anywhere: no model is set.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>Which request</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>Last request</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>Parts of the request</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>%n older entries are not sent</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>[Picture: {name}]</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>[File: {name}]</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>Nothing has been sent since the program started.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>Before this answer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>Next request</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>From</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>Words</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>Tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/request_view.py" />
      <source>Tools</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/table_file.py" />
      <source>“{name}” is a different table now.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/table_window.py" />
      <source>{name} — Playhead</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/dialogs/table_window.py" />
      <source>The first %n rows can be scrolled to here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/table_window.py" />
      <source>Only the rows that were shown are here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/table_window.py" />
      <source>Copy the selected cells, or all that are here (Ctrl+C)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/table_window.py" />
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <source>Stop sorting</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/table_window.py" />
      <source>Sorting all {rows}… {time}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/table_window.py" />
      <source>Table {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/table_window.py" />
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <source>It cannot be sorted: only the rows that are shown are here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/table_window.py" />
      <source> Scroll to try again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/table_window.py" />
      <source>More rows could not be read. {error}{retry}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/update_dialog.py" />
      <source>It came from a package of the system. Get the newer package where you got this one and install it over this one: sudo apt install ./playhead_….deb</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/update_dialog.py" />
      <source>It is the packaged program. Get the newer one where you got this one and install it over this one.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/update_dialog.py" />
      <source>It was installed by pipx. In a terminal: pipx upgrade playhead</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/update_dialog.py" />
      <source>It was installed by pip. In a terminal: {python} -m pip install --upgrade playhead</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/update_dialog.py" />
      <source>It runs from its sources in {folder}. Get the newer ones there: git pull</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/update_dialog.py" />
      <source>Your conversations, settings and keys stay where they are: before a newer version changes their form it makes a copy. The Changelog of the newer version says what is new.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/update_dialog.py" />
      <source>Playhead asks nobody by itself, and did not do so now.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/update_dialog.py" />
      <source>Check for updates</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/dialogs/update_dialog.py" />
      <source>This is Playhead {version}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/code/code_editor.py" />
      <source> … (line cut for display)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/code/code_editor.py" />
      <source>Code editor, line {line}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/code/editor_factory.py" />
      <source>Words from right to left are not drawn as they are here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/code/editor_factory.py" />
      <source>A screen reader is running, which cannot read the other editor.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/code/editor_factory.py" />
      <source>The other editor cannot draw words that are written from right to left.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/code/editor_factory.py" />
      <source>The code editor does not fit Qt {version}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/code/editor_factory.py" />
      <source>Invisible characters change the text direction here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/code/editor_factory.py" />
      <source>The code editor could not be loaded ({error}).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/code/editor_language.py" />
      <source>Plain text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/code/editor_language.py" />
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <source>Shell</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/code/editor_language.py" />
      <source>C family</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/editor_follower.py" />
      <source>cell</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/editor_follower.py" />
      <location filename="../../app/playhead/ui/timeline/model/timeline_model.py" />
      <source>cell {number}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/own_tabs.py" />
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Close the tab</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/own_tabs.py" />
      <source>“{name}” is not saved.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/own_tabs.py" />
      <source>Closing it loses what you typed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/own_tabs.py" />
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <location filename="../../app/playhead/ui/settings/settings_dialog.py" />
      <source>Save</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/own_tabs.py" />
      <source>Close without saving</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/own_tabs.py" />
      <source>Another program has changed “{name}” since it was opened.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/own_tabs.py" />
      <source>Saving replaces what that program wrote.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/own_tabs.py" />
      <source>Replace it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/own_tabs.py" />
      <source>Save as</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/own_tabs.py" />
      <source>untitled {number}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/own_tabs.py" />
      <source>{name} is not on the disk any more. Save makes it again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/own_tabs.py" />
      <source>Another program has changed {name}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/own_tabs.py" />
      <source>Load it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/own_tabs.py" />
      <source>Open a file in the editor</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/own_tabs.py" />
      <source>untitled {n}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/code_hints.py" />
      <source>class</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/code_hints.py" />
      <source>file</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/code_hints.py" />
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/code_hints.py" />
      <source>function</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/code_hints.py" />
      <source>key</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/code_hints.py" />
      <source>keyword</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/code_hints.py" />
      <source>module</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/code_hints.py" />
      <source>parameter</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/code_hints.py" />
      <source>property</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/code_hints.py" />
      <source>variable</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/code_hints.py" />
      <source>in this text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/code_hints.py" />
      <source>Completions</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/editor/pane/diff_view.py" />
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>%n changes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/diff_view.py" />
      <source>Previous change</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/diff_view.py" />
      <source>Next change</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/diff_view.py" />
      <source>Revert this</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/diff_view.py" />
      <source>Revert all</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/diff_view.py" />
      <source>Back to the code (Esc)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/diff_view.py" />
      <source>{changes} from {than}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/diff_view.py" />
      <source>The same as {than}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/diff_view.py" />
      <source>line {number}</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/editor/pane/diff_view.py" />
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>… %n more lines</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>New tab</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Open a file…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Save as…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Next tab</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Previous tab</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Pause the code, or go on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Go on up to the next statement</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Pause before this line</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <location filename="../../app/playhead/ui/shell/conversation_actions.py" />
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Undo</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Redo</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Find…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Find and replace…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Comment or uncomment</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Complete the code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Indent</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Unindent</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Wrap long lines</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Show the changes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>Show what this line printed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_commands.py" />
      <source>All tabs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_find_bar.py" />
      <source>This pattern takes too long.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/editor/pane/editor_find_bar.py" />
      <source>%n replaced</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_find_bar.py" />
      <source>{number:,} of {total}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_find_bar.py" />
      <source>{total} found</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_find_bar.py" />
      <source> in what is shown</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_find_bar.py" />
      <source>Replace with</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_find_bar.py" />
      <source>Whole words only</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_find_bar.py" />
      <source>Regular expression</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_find_bar.py" />
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>Replace</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_find_bar.py" />
      <source>Replace all</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_find_bar.py" />
      <source>This is not a valid pattern.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_find_bar.py" />
      <location filename="../../app/playhead/ui/timeline/find/timeline_find_bar.py" />
      <source>Nothing found</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_pane.py" />
      <source>This is the plain editor: code has no colours. {reason}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_pane.py" />
      <source>{language_name} cannot be run here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_pane.py" />
      <source>This is the code of an earlier run, which is only shown.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_pane.py" />
      <location filename="../../app/playhead/ui/editor/pane/pane_tools.py" />
      <source>the saved file</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_pane.py" />
      <location filename="../../app/playhead/ui/editor/tab.py" />
      <source>not saved</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/editor_pane.py" />
      <source>Use the plain editor</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Language: {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Show newer code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Undo (Ctrl+Z)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Find (Ctrl+F)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>More for the editor</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Hide the editor</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Hide the editor (Ctrl+J)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <location filename="../../app/playhead/ui/playback/playback_view.py" />
      <source>Pause</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Step</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Go on up to the next statement (F10)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Changed from {than} (Ctrl+Shift+D)</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>%n changes from {than}. Show them</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Stop the running code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Run this code (F5)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Run this code, which waits for your answer (F5)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Pausing…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>It pauses when it comes to its next own line</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Go on (F8)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Pause before the next line (F8)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Tabs of the editor</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Close this tab</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Close (Ctrl+W)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>{words}. Choose another</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Choose the language</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>Go on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Newer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Scroll the tabs right</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_header.py" />
      <source>Scroll the tabs left</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_tools.py" />
      <source>the model's version</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_tools.py" />
      <source>This language has no comments that fit on a line.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_tools.py" />
      <source>Lines are cut for display: only all can be reverted.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/pane_tools.py" />
      <source>There is nothing to compare this text with.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/running_line.py" />
      <source> after {time}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/running_line.py" />
      <source>stopped here{after}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/running_line.py" />
      <source>paused before this line</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/running_line.py" />
      <source>running · {time}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/running_line.py" />
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/run_rail.py" />
      <source>running</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>no kernel</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>kernel starting</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>kernel idle</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>kernel busy</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>kernel stopping</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>Stop: the kernel ends with its threads, all variables are lost</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>{name} does not tell its line</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>Interpreter: {interpreter}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>{language} code is run by the {language} on this computer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>Ln 1, Col 1</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>plain editor</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>Show the kernel's variables</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>Variables</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>The variables that the code has defined</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>Change the working folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>Choose the interpreter</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>Stop what goes on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>Restart the kernel: all variables are lost</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>Ln {line}, Col {column}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <source>paused before line {line}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>Restart</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>Dismiss</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>End the processes; variables are kept</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <location filename="../../app/playhead/ui/shell/place_binding.py" />
      <source>connecting…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/pane/status_bar.py" />
      <source>link lost</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/past_tab.py" />
      <source>no values are kept of this run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/tab.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>being written</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/tab.py" />
      <source>waits for your answer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/tab.py" />
      <source>as it ran, read-only</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/tab_drafts.py" />
      <source>What you have written is not being kept.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/tab_drafts.py" />
      <source>Free some space, or see that the folder can be written to. Save or send it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/text_files.py" />
      <source>UTF-8 with a byte order mark</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/text_files.py" />
      <source>“{name}” cannot be opened in the editor.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/text_files.py" />
      <source>It is binary data, not text.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/text_files.py" />
      <source>It is {encoding}, and is saved as that.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/text_files.py" />
      <source>Its line ends are mixed; they are saved as {name}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/text_files.py" />
      <source>Attach it to a message instead: code can then read it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/text_files.py" />
      <source>It is marked as {encoding}, but is not.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/text_files.py" />
      <source>“{name}” cannot hold this text.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/text_files.py" />
      <source>It is not a regular file.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/text_files.py" />
      <source>It has {size}; the editor takes up to 20 MB.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/text_files.py" />
      <source>Its line ends are {name}, and are kept.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/text_files.py" />
      <source>“{name}” cannot be {done}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/text_files.py" />
      <source>There is no {character!r} in {encoding}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/text_files.py" />
      <source>Save it under another name: new files are UTF-8.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/text_files.py" />
      <source>Check that the folder exists and that you may use it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/value_notes.py" />
      <source>{values} at the end; {name} was seen as {seen}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/value_notes.py" />
      <source>{values} at the end</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Name</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>Type</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>Shape</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>Size</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>Value</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>saved for the next kernel</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>Double click opens it as a table</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>Changed in the last run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>Came back from the last kernel</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>Given to code: {names}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>Not given to code: {names}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>of another branch</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>Code ran last in another branch of this conversation; its variables are here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>not saved yet</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>What the last runs changed could not be saved: a lost kernel would lose it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>Read the variables again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>Hide the variables</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>Give them to code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>These variables of the environment look like secrets. Code of this conversation gets them until Playhead is closed; other languages than Python once the kernel is restarted.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>{name}, changed in the last run</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>%n changed</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>%n came back</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>%n saved</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>%n not</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>No variables yet. Those that the code defines are listed here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>read when the code rests</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/editor/variables_panel.py" />
      <source>The code is running. Its variables are read when it has ended.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/cluster_code.py" />
      <source>The scheduler may still be working.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/cluster_code.py" />
      <source>Stop ended the code only. Tasks of Dask end by client.cancel(futures).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/cluster_code.py" />
      <source>Stop ended the code only. Tasks of Ray end by ray.cancel(reference).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>{folder} on {machine}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>The files of this computer are not there: attach those that code needs.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>via ssh</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>making environment…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Python {version}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <location filename="../../app/playhead/ui/shell/window_layout.py" />
      <source>own environment</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <location filename="../../app/playhead/ui/settings/settings_dialog.py" />
      <source>Choose the working folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Choose another folder…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Open in the file manager</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>The kernel has its own folder: others use it, too.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Type another folder there…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Playhead's own environment</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Looking for others…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Choose a Python…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Add a server…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Asking {server}…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Another token…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Forget this server</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>shares its names with {notebook}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Looking for machines…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Another machine…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>More machines</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>{interpreter} is not there any more</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <location filename="../../app/playhead/ui/settings/settings_dialog.py" />
      <source>Choose a Python interpreter</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Kernels that run there</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>{name}, shared</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Forget {server} and its token?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Its kernels and notebooks stay as they are. You can add it again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Forget</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Make an environment in “{folder_name}”</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>In this folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Other Pythons</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Jupyter kernels of this computer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>no environment</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Jupyter servers</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Other machines</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>Python packages for this folder alone, in {folder}/.venv</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <source>This computer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_menus.py" />
      <source>An environment is being made…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Paste the address of Jupyter as your browser shows it, or the line that it prints at its start. Its token goes into the system's keyring only.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>The host as ssh takes it, with your ~/.ssh/config. What ssh asks, you answer here. A container is docker:NAME or podman:NAME.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>ssh asks this, word for word. Your answer goes to it alone and is not kept.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>The folder on {machine} in which code begins. The kernel that runs there ends with the next run, and its variables with it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Add a Jupyter server</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Address of the server</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Empty if it wants none, or is known</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Token of the server</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Kernel to run on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Token</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Run on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Ask the server</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Save and run there</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>%n kinds of kernels</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>{title} answered: {counts}, {running} running.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Another machine</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Host</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Your home folder there</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Folder there</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>The one that its shell finds</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Python there</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Run there</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Connecting to {machine}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Question of ssh</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <location filename="../../app/playhead/ui/sidebar/search_results.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>Answer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>No</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Yes, connect</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Give up</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Folder on {machine}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Use this folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>Send token, code and results unencrypted to {server}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>{name}, which runs: you share its names</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/places/place_sheets.py" />
      <source>There is no keyring: the token is kept until Playhead is closed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/playback/playback_view.py" />
      <source>Replay of “{title}”</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/playback/playback_view.py" />
      <source>Time of the replay</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/playback/playback_view.py" />
      <source>Speed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/playback/playback_view.py" />
      <source>Skip waits</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/playback/playback_view.py" />
      <source>Play</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Let other programs use Playhead</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Programs may approve code themselves</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Programs may have code run without asking</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Programs on this computer can hold conversations here by HTTP, with any OpenAI client too. Each conversation is in the sidebar while it runs.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Programs present it as their API key. Keep it secret, as you would a password.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Only your click in this window has code run; the program waits for it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>You in this window or the program may decide; the first decision counts.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Code then runs on this computer though nobody has seen it. It can do all that you can: read, change and delete your files, and use the network. Leave it off unless you need it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>There is a new token, and both permissions below are off. Copy it into the programs that will still use Playhead.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Port</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Token, not shown</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Renew…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Requests a minute</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Messages in a request</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Renew the token</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Renew the token?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Programs that hold the old one are refused from now on, and both permissions are turned off.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Renew</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>For each token; 0 for no limit.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>A request with more of them is refused.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>The base URL for OpenAI clients is {text}/v1</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>It begins when you save.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>It ends when you save.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Copy the address</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Copy the token</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Off: no other program reaches Playhead.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Starting…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Listening on {address}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/api_page.py" />
      <source>Not listening. {message}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>Like the system</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>Light</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>Dark</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>Normal</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>High</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>Theme</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>Contrast</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>Text and pictures</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>Size of text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>Font of code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>Size of code in the editor</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>The whole window</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>Tell me when a long run ends or something waits for me</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>With the system's sound</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>Keep running in the tray when the window is closed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>Desktop</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>While the window is not in front; title and state, no more.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>In conversation and editor; also by Ctrl++ and Ctrl+-.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/appearance_page.py" />
      <source>Menus and buttons too; takes effect at the next start of Playhead.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/conversation_page.py" />
      <source>Custom instructions</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/conversation_page.py" />
      <source>Sent to the model in every conversation</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/conversation_page.py" />
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Steps per turn</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/conversation_page.py" />
      <source>No budget</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/conversation_page.py" />
      <source>Budget of a conversation in US dollars</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/conversation_page.py" />
      <source>Use the built-in one</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/conversation_page.py" />
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Budget</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/conversation_page.py" />
      <source>How often a model may run code before it is asked to stop.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/conversation_page.py" />
      <source>A conversation that has cost this much stops and asks. Empty: it never does.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/conversation_page.py" />
      <source>This is the built-in one; newer versions of Playhead may better it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/conversation_page.py" />
      <source>Your own. It stays as it is when Playhead is updated.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/conversation_page.py" />
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Instructions</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/conversation_page.py" />
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Budget (US $)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/conversation_page.py" />
      <source>Filled in when it is sent: {names}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <source>The address has a space in it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <source>The address must begin with http:// or https://.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <source>The address has no server name.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <source>Leave user and password out of the address: type the key below.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <source>The address goes only to the path: leave out what follows “?” or “#”.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <source>Leave {ending} off the address: it is added.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <source>The proxy must look like http://proxy.example.com:3128.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <source>A password is not written to a file: give the proxy one without.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <source>Paste the key alone, without “Bearer”.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <source>The key has a space or a line break in it: copy it again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <source>The key has letters that no key has: copy it again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <source>That is an address, not a key.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <source>{label} does not look right: {text}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <source>The extra parameters must be a JSON object, such as {example}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <source>“{name}” looks like a secret, and these parameters are written to a file: type it as the key.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <source>The port of the address is not a number below 65,536.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>{label} is missing.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/field_checks.py" />
      <source>The extra parameters are not valid JSON: {error}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Keys are kept for this run only.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Automatic</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>Yes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>the system keyring</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Or set {variable} before starting Playhead.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>It will be kept in {place}, nowhere else.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>This provider's variable is {variable}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>The provider's default</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <location filename="../../app/playhead/ui/settings/parameter_fields.py" />
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Temperature</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <location filename="../../app/playhead/ui/settings/parameter_fields.py" />
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Max tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Calls tools</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Sees images</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Through litellm</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Yes: the library litellm asks this model. It starts slowly, and may do otherwise.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Context in tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Context</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Read from the environment variable {variable}, which goes before a key kept here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Kept in {place}. Type another to replace it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Kept in memory until Playhead ends.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Asking the model…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Asking the provider…</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>%n models: choose one.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Waiting for the keyring…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Context (tokens)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Known: {facts}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Nothing is known of this model.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Not known</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Found on this machine: {found}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>Choose a model first.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/settings/models_page.py" />
      <source>%n models</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>Choose a file of certificates</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>Seconds to connect</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>Seconds to the first words</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>Seconds of silence</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>Retries</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>Connect within</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>First words within</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>Longest silence</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>For a company whose gateway or proxy shows a certificate of its own (PEM).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>Models that think for long before they write may need more. Empty: as it was.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>How often a request is repeated that a server had no room for.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>Certificates</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>Connect within (s)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>First words within (s)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>Longest silence (s)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/network_page.py" />
      <source>There is no file {path}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>A profile is a set of what you like for one kind of work. Empty fields stay as set.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>As the conversation says</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Run code without asking</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>As in the settings</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>All code of such conversations runs without asking, with all your rights.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Name of the profile</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Model of the profile</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>The provider's own address</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Address of the profile's model</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Temperature of the profile</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Max tokens of the profile</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Steps per turn of the profile</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Budget of the profile</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Instructions of the profile</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>System prompt of the profile</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Approval of the profile</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Files of the profile's code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Network of the profile's code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>When the profile's code is asked about</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Profile of new conversations</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Profile to edit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>New</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <location filename="../../app/playhead/ui/sidebar/conversation_menus.py" />
      <source>Duplicate</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Import…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Export…</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>%n profiles were imported.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>New conversations</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Profile</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Import profiles</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Export profiles</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Approval</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Sandbox</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>A profile has no name.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Profile “{name}”: {problem}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Two profiles have the name “{name}”.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>Written to {path}, without keys.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>It is not a regular file of at most 1 MB.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/profiles_page.py" />
      <source>New profile</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>No model (Direct mode: what you type as code runs)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>Find models</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>Remove</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>Unlock</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>Check</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>The address is missing.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>An access key ID and its secret access key belong together.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>Provider</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>API key</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>Paste the new key</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>Which providers there are</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>Where to get a key</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>Paste a key</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>{label} has a space in it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>The model string begins with its provider and a slash.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>Replace the key</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>Remove the key</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>Unlock the keyring</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/provider_form.py" />
      <source>Code that you type runs, without a model.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Playhead's own environment (default)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Running code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Show the line that runs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Show beside a line what it assigned</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Time single lines inside loops</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>New conversations work in this folder. Empty: each in a folder of its own, below Playhead in your documents, which is made when its first code runs.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Ask before code that I typed runs, too</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>In Direct mode, code that you typed letter for letter runs when you press Enter. What was pasted, and what Playhead makes of words, always waits for your approval.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Of Python code that ran, while the mouse is over the line: numbers and short texts, of others the type and the size. Texts that look like secrets are left out.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>On Python 3.12 or newer. Without it a loop is timed as a whole; with it very short lines count for a little too much.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>A run over a limit is stopped and says which. Empty: no limit.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Of more output its beginning and its end are kept.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Keep variables of Python for the next kernel</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>They are saved on this computer after each run, without what looks like a secret, and deleted with their conversation. Without a sandbox, code that runs can read them.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>What code of new conversations may do where this computer has a sandbox that was tested. The shield above a conversation changes it for that one, until Playhead is closed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>What code can read in its folder it can also send.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>“Not inside the sandbox” counts only while the boundary test of this computer holds.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <source>Interpreter</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Choose an interpreter</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>A folder of its own for each</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Working folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Choose a working folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Ask</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>No limit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Longest run in seconds</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Most memory of a run in MB</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Output kept of a run in MB</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Bring variables back</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Output kept</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>“{folder}” is not a folder.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Ask first</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>Always</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Never</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Bring them back</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Longest run (s)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Memory (MB)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Output kept (MB)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Off</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>On</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Longest run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/running_page.py" />
      <source>Most memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/settings_dialog.py" />
      <source>Pages of the settings</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/settings_dialog.py" />
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <location filename="../../app/playhead/ui/sidebar/sidebar.py" />
      <source>Settings</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/settings_dialog.py" />
      <source>Running</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/settings_dialog.py" />
      <source>Look</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/settings_dialog.py" />
      <source>Other programs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/settings_dialog.py" />
      <source>Storage</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>These are the folders that the system has for such files. Started with --data-dir and a folder, Playhead keeps all of it below that one, as on a stick. Keys are always in the system's keyring.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>This Playhead was started with a folder of its own: everything is in it but the keys, which are in this computer's keyring.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>Settings as at the first start. What was there before is kept in a dated backup; you are asked about keys and conversations.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>Models, profiles, look, shortcuts and all else in the settings become what they were at the first start. A copy of them is kept in a folder with today's date, with a word on how to get them back.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>They are in no backup: you would have to enter them again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>The list is empty then. The backup has them, with the files of their runs.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <location filename="../../app/playhead/ui/shell/window_help.py" />
      <source>Data</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>Conversations, outputs of runs, environments, backups</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>One file; keys are not in it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <location filename="../../app/playhead/ui/shell/window_help.py" />
      <source>Logs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>What “Log…” and “Crash reports…” in the window's menu show</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>Cache</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>May be deleted at any time</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>Folder: {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <location filename="../../app/playhead/ui/shell/window_help.py" />
      <source>Open folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>Open folder: {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>empty</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>{size}, {copies} of it in copies that wait for a review</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>Reset…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>Back to the defaults</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>Delete the keys from the system's keyring, too</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>Put all conversations away, too</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>Back to the defaults?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/settings/storage_page.py" />
      <source>Resetting…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/composer_binding.py" />
      <source>“{name}” is not there any more.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/composer_binding.py" />
      <source>It was attached to a message that you have not sent yet.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/composer_binding.py" />
      <source>Attach it again from where it is now.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/conversation_actions.py" />
      <source>%n other turns</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_actions.py" />
      <source>“{question}” and its answer were deleted.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_actions.py" />
      <source>The turn was deleted.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_actions.py" />
      <source>With it went {turns} that came after it or belonged to its other versions.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_actions.py" />
      <source>“{name}” was deleted.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/conversation_actions.py" />
      <source>%n conversations were deleted.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <source>from {client}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <source>Runs on this computer: {interpreter}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <source>Runs on {machine} · {interpreter}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <source>Show the sidebar (Ctrl+B)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <source>Show the editor (Ctrl+J)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <source>Find in this conversation (Ctrl+F)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <source>Export conversation (Ctrl+Shift+E)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <source>Begun by {client} over the API. It is kept once you write here yourself.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <source>This conversation has cost {cost} of a budget of {budget}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <source>This conversation has cost {cost}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <source>Runs on {machine}: {interpreter}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <source>This kernel says neither which line runs nor which variables it has.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <source>starting the model…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/conversation_header.py" />
      <source>What code may do: {policy}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Choose a folder that you may write to.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Choose a folder for the exported conversations</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Notebooks and conversations ({suffixes});;All files (*)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Nothing of it was run.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Export</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Import conversation</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Import</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Export and check</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Export conversation</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Folder:</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Format:</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Exported as “{name}”.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>%n conversations were exported.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>%n parts were not understood and left out.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Imported “{name}”.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>{name} is not imported.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>The disk is full: free some space, or choose another one.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Choose a folder that is there.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Export as</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>There is nothing to replay yet.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>There is nothing to export yet.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>{name} could not be read.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>It is not a regular file of at most {number} MB.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Choose a notebook or a list of messages.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Check it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/document_actions.py" />
      <source>Check that it is there and that you may read it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>Something on the disk was not as it should be.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>“Run code without asking” of the profile “{profile}”</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>{first} and %n more want to run code.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>Waiting for the system's keyring</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>It may be asking you to unlock it, in a window of its own. Stop ends the waiting.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>Switches in the settings' file do not count.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>They would have code do more, or run without your decision, and were not switched on in this window: {names}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>“{switch}”</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>the profile “{profile}” for all new conversations</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>Other programs cannot reach Playhead.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>With files</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>Have %n variables as this branch left them?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>{names}. Code waits for the answer.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>%n runs of the other branch changed files.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>They are still as it left them.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>Bring back {count} of %n variables?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>They are of the kernel that has ended. The code waits for the answer.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>{first} wants to run code.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>Undo these</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>Bring back</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>The panel of variables lists the others.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>{count} of %n variables of the last kernel came back.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>No variable of the last kernel came back.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Keep</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <location filename="../../app/playhead/ui/shell/window_layout.py" />
      <location filename="../../app/playhead/ui/sidebar/conversation_menus.py" />
      <source>Open</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>Open this address?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/notices.py" />
      <source>This link is not opened.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>they could not be saved before the next run began.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>their place on the disk was needed for later ones.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>variables are not saved here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>that is for Python only.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>The variables after this run are not kept: {why}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>run {number:,}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>You look at run {number:,}: what you send asks where it goes on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>You look at an earlier run, which is only shown.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>Go on from it, or go back to now, to change something.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <location filename="../../app/playhead/ui/timeline/past_bar.py" />
      <source>Go on from here</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>Go on from run {number:,} with the variables as now?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>A new branch after run {number:,} has the variables as then.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>You look at run {number:,}. Where does it go on?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>Go on from run {number:,}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>The variables after this run are not saved yet.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>after run {number:,}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>What came later is kept as another version. Files stay as they are now.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>The conversation goes on from run {number:,}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>What came after it is kept as the other version of what you send next.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>Python only, after run {number:,}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>A new branch has the variables as now.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/past_binding.py" />
      <source>Go on from now</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/variables_binding.py" />
      <source>No kernel is running. Variables are listed here once code has run.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/variables_binding.py" />
      <source>The variables could not be read. {words}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/past/variables_binding.py" />
      <source>Variables are listed for Python only.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/place_binding.py" />
      <source>lost for {time}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/place_binding.py" />
      <source>lost for {time}: your code runs on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/place_binding.py" />
      <source>lost for {time}: Stop follows when it is back</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/place_binding.py" />
      <source>back: nothing is missing</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/place_binding.py" />
      <source>back: output is missing</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/place_binding.py" />
      <source>back</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/place_binding.py" />
      <source>→ {where}, {percent} %</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/place_binding.py" />
      <source>The files are there.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/place_binding.py" />
      <source>{name} is a folder: only files are copied.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/place_binding.py" />
      <source>Attach its files, or an archive of it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <source>Let it read {path}?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <source>Granted: {what}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <source>The code runs as soon as it is known what keeps it to its folder.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <source>The code did not find it; the model knows.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <source>The model knows.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <source>Allow…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <source>The sandbox of this computer is being tested…</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <source>Discard the changes of %n files?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <source>What code did in the copy is deleted, which cannot be undone. The kernel ends.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <source>No block waits for your approval.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <source>The boundary test does not hold any more, so that it asks again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <source>This cannot be run: {reason}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <source>The kernel was restarted, because what code may do was changed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>Variables and data of the code that ran before were lost.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>The kernel of this conversation is a new one.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>Run it again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/policy_binding.py" />
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>Run all again</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>%n files were left as they are</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>Save %n rows</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>Comma-separated values (*.csv);;Tab-separated values (*.tsv)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>Fetching {name} from {machine}…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>The environment has these packages already.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>The kernel has ended, and its variables with it.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>Only %n rows were saved.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>The table has %n rows.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>What R has installed stays in the sandbox.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>The packages are in the environment now.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>There is nothing to undo.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>Nothing was undone.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>Its frames have no variables.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>The output is not there any more.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>No variable was changed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>The file is not there any more.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>This file is not in the working folder.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>“{name}” is not opened: it could run as a program.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/result_actions.py" />
      <source>Show in folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>Asking again in {seconds} s, attempt {attempt} of {attempts}. Stop ends the wait.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>%n variables are lost: {names}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>All variables are lost.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>A failure stops it. Results so far are kept.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>Restart the kernel of this conversation?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>Code is running: it is cut off, and all variables are lost.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>The next kernel can have what is saved of these variables: {names}. You are asked before it gets them.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>These variables are lost: {names} and %n more.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>Run %n blocks again?</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>Run %n blocks</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>%n of them may delete or overwrite files: {numbers}.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>%n of them ask for input: {numbers}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>The kernel is not restarted.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>A new kernel starts.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>The model's server takes no pictures.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>The model got their paths instead, so that code can open them.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>Asking again…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>{names} and {count} more</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>The answer ended at the limit of its length.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>Raise “Max tokens” in the settings, or ask to go on.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>The provider's filter ended the answer.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>Ask in other words, or choose another model.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>The model answered with nothing.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_bindings.py" />
      <source>Ask again, or in other words.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>The code found no display: it reaches none unless you allow it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>The code did not reach the desktop: it does not unless you allow it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>The code found no keys of yours: it reaches no agent unless you allow it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>With it, code can see your screen and press keys in every window, in this one too.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>With it, code can ask your programs and your keyring for things.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>With it, code can sign in as you (SSH, GnuPG, Kerberos).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>still running, although it says that it is over</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source> at line {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>{language} code cannot be paused</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>Code that runs in a Jupyter kernel cannot be paused</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>The module “{module}” is not installed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>You see the code that installs it before it runs.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>The key and the model are in the settings.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>The Check button tests them.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>The block that failed can now find its module.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>Its code is unchanged.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>It is allowed in this conversation until Playhead is closed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>The block that failed can now reach it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>Nothing has run here yet.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>The results are those of the file. Its variables exist once its code runs.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>Stopped at block {number} of {total}: it failed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>Stopped at block {number} of {total}: it did not run to its end.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>Stopped at block {number} of {total}: it waited for an answer.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>%n blocks after it were not run. The arrows above lead to the earlier results.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>Install {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>Code of this conversation waits for your approval.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>That it runs without asking was chosen before Playhead was started.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>Open settings</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>Allow for this conversation</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>{count} of %n variables of the code that ran before are saved; the next code that runs can have them.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>No answer came to this question.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>The kernel was restarted.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>No kernel was running.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>The next run starts a new one.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>Run without asking</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <source>Variables and data of the code that ran before were lost; the model knows.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/session_view.py" />
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <location filename="../../app/playhead/ui/timeline/cards/small_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Retry</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>Example: a harvest</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>1 of 3 · This code has not run yet.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>2 of 3 · It runs: watch the line move.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>3 of 3 · That was all.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>It is about to read harvest.csv, a small file that came with Playhead, and to write totals.csv beside it. Read it, change it in the editor if you like, then press Run below (Ctrl+Return).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>Stop ends it at any time. What it prints appears here as it comes.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>Beside the code you see how long each line took, and a card names the file that was written. Now drop a file of your own into the message field and type code for it, or choose a model in the settings that writes the code for you.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>You skipped it, so nothing was run and nothing was written. That is how it is with all code.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>No model is set: add a provider's key, start a model server such as Ollama, or stay in Direct mode, where the code that you type is what runs.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>Describe the task. You see the code before it runs, and nothing runs without your approval.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>No model is set: use the model server found on this machine, add a provider's key, or stay in Direct mode, where the code that you type is what runs.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>Type code and run it, for example</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>See an example run (30 s)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>Use {name}: {model}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>{name} at {api_base}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>Put this into the message field</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>Ready to run code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>What would you like to do?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>Add a provider key…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>The example could not be set up.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/start_panel.py" />
      <source>Free disk space or make the folder writable, then try again.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/shell/window_help.py" />
      <source>%n errors in Playhead itself were noted the last time.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/window_help.py" />
      <source>A report is on this computer. Nothing is sent.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/window_help.py" />
      <source>like the system</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/window_help.py" />
      <source>light</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/window_help.py" />
      <source>dark</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/window_help.py" />
      <source>Playhead ended unexpectedly the last time.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/window_help.py" />
      <source>Conversations and drafts are kept. A report is on this computer. Nothing is sent.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/window_help.py" />
      <source>Playhead was reset.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/window_help.py" />
      <source>What was there before is in {folder}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/window_help.py" />
      <source>Colours: {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/window_layout.py" />
      <source>This conversation</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/window_layout.py" />
      <source>Code that waits</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/window_layout.py" />
      <source>Text and pictures at {percent} %</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/window_layout.py" />
      <source>Show or hide the variables</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/window_layout.py" />
      <source>Look at an earlier run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/shell/window_layout.py" />
      <source>Choose the model…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/conversation_list.py" />
      <source>Title</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/sidebar/conversation_menus.py" />
      <source>Delete %n conversations</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/conversation_menus.py" />
      <source>Keep in the list</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/conversation_menus.py" />
      <source>Mark as read</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/conversation_menus.py" />
      <source>Mark as unread</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/conversation_menus.py" />
      <source>Take out of the archive</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/conversation_menus.py" />
      <source>Archive</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/conversation_menus.py" />
      <source>Unpin</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/conversation_menus.py" />
      <source>Pin</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/conversation_menus.py" />
      <source>Choose none (Esc)</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/sidebar/conversation_menus.py" />
      <source>%n chosen</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>answering</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>waiting for you</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>paused</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>waiting for your answer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>stopping</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>Today</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>Yesterday</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>This week</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>Last week</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>pinned</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>begun by {client}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>on {machine}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>unread</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>Begun by {client} over the API</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>Runs on {machine}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>open</source>
      <comment>a fold</comment>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>closed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>Pinned</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/model.py" />
      <source>Archived · {count}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/search_results.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>Thoughts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/search_results.py" />
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>Plan</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/sidebar/search_results.py" />
      <source>%n conversations</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/search_results.py" />
      <source>{title}, conversation</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/search_results.py" />
      <source>Show {text} places of this conversation</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/search_results.py" />
      <source>Search results</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/search_results.py" />
      <location filename="../../app/playhead/ui/timeline/find/timeline_find_bar.py" />
      <source>Searching…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/search_results.py" />
      <source>There is more. Type further words to narrow it down.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/sidebar/search_results.py" />
      <source>%n places</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/sidebar/search_results.py" />
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>%n more</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/search_results.py" />
      <source>{title}, conversation, archived</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/search_results.py" />
      <source>Archived</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/search_results.py" />
      <source>Nothing found for “{shown}” in titles and messages.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/sidebar.py" />
      <source>Titles and all messages. Down goes to the results.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/sidebar.py" />
      <source>API is not listening</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/sidebar.py" />
      <source>API on :{port}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/sidebar.py" />
      <source>Other programs reach Playhead at {address}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/sidebar.py" />
      <source>{words}. Open its settings</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/sidebar.py" />
      <source>Hide the sidebar (Ctrl+B)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/sidebar.py" />
      <source>Hide the sidebar</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/sidebar.py" />
      <source>New conversation (Ctrl+N)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/sidebar.py" />
      <source>Conversations</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/sidebar.py" />
      <source>Your conversations appear here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/sidebar/sidebar.py" />
      <source>Settings (Ctrl+,)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/run_rail.py" />
      <source>ran</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/run_rail.py" />
      <source>failed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/run_rail.py" />
      <source>stopped</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>skipped</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <source>… %n lines hidden</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <source>Show fewer lines</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Show all %n lines</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Run this code</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <source>Show {kept:,} of %n lines</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <location filename="../../app/playhead/ui/timeline/model/timeline_model.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/run_rail.py" />
      <source>undone</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Copy code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Open in the editor</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <source>Hide the field</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <source>Send text to the program</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <source>Copy output</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <source>Open the whole output</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <source>writing · {lines}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Undo run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <source>ran in {detail}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <source>failed after {detail}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Redo run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/code_cards.py" />
      <source>stopped {detail}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Outside of this folder nothing was watched, and nothing can be undone.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Undo what the run did to {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Do again what was undone to {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Put {name} where the code had put it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Delete {name}</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Show %n files</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Do again what was undone here</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Set aside: {name} — other programs would run it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>partly undone</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Open {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Hide what changed in {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Keep in the environment…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Applied</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Files and variables</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>working</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Show fewer files</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Show all %n files</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>link</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>Show what changed in {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/effects_card.py" />
      <source>kept</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/input_line.py" />
      <source>Enter</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/input_line.py" />
      <source>Text for the program that the code has started</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/input_line.py" />
      <source>A line for the program that runs…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/input_line.py" />
      <source>End of input</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/input_line.py" />
      <source>Tell the program that no more input comes (Ctrl+D)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/input_line.py" />
      <source>The input has ended.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/input_line.py" />
      <source>Input for the running code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/input_line.py" />
      <source>Sent “{name}”. Another line…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/input_line.py" />
      <source>Sent.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>interrupted</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Version {number} of {count}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>{tip}: show the one before</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>{tip}: show the next</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Copy answer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Show less</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Show all</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Fold</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>a tool</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Columns to the left</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Columns to the right</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Copy message</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Edit and send again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Result of {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Thought for {detail}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Thought</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Thinking…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Calling {name}…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/message_cards.py" />
      <source>Called {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/picture_decoder.py" />
      <source>it is too large ({words})</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/picture_decoder.py" />
      <source>{width:,} × {height:,}, {million} megapixels</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/picture_decoder.py" />
      <source>The drawing declares entities of its own.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/picture_decoder.py" />
      <source>The drawing is larger than {number} MB.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/picture_decoder.py" />
      <source>The drawing cannot be read.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/picture_decoder.py" />
      <source>it is not a picture, or of an unknown kind</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/picture_decoder.py" />
      <source>its data are damaged</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/picture_decoder.py" />
      <source>The drawing repeats itself inside of itself.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/picture_decoder.py" />
      <source>The drawing has more than {limit_elements:,} elements.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/picture_decoder.py" />
      <source>The drawing uses {local}, which is not drawn here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/picture_decoder.py" />
      <source>The drawing refers to something outside of itself.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/picture_decoder.py" />
      <source>the file is not there any more</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/picture_decoder.py" />
      <source>The drawing is not well-formed (line {lineno}).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/picture_decoder.py" />
      <source>The picture's data cannot be read.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/problem_card.py" />
      <source>line {line}{name}{name_2}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/problem_card.py" />
      <source> of {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/problem_card.py" />
      <source>, in {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/problem_card.py" />
      <source>line {line} → {words}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/problem_card.py" />
      <source>Hide traceback</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/problem_card.py" />
      <source>Show traceback</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/problem_card.py" />
      <source>Show line {line} in the editor</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/problem_card.py" />
      <source>Ask the model to fix it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/problem_card.py" />
      <source>Variables at the failure</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/problem_card.py" />
      <source>Copy traceback</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/problem_card.py" />
      <source>Hide variables</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/problem_card.py" />
      <source>Show variables</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/result_cards.py" />
      <source>{name} cannot be shown: {lower}{name_2}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/result_cards.py" />
      <source>Hide the source</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/result_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>Web page</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/result_cards.py" />
      <source> · not run here</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/result_cards.py" />
      <source>Show the source</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/result_cards.py" />
      <source>Open in browser</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/result_cards.py" />
      <source>Copy LaTeX</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/result_cards.py" />
      <source>Copy markdown</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/result_cards.py" />
      <source>The picture</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/result_cards.py" />
      <source>Copy the source</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/result_cards.py" />
      <source>Open picture</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/result_cards.py" />
      <source>Your browser loads and runs what the page asks for</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/small_cards.py" />
      <source>The code asks for a line of text.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/small_cards.py" />
      <source>Stopped before an answer.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/small_cards.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/run_controls.py" />
      <source>Answered.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/small_cards.py" />
      <source>The answer failed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <source>Sorting all {rows:,} rows by {column}… {time}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <source>It cannot be sorted: their texts do not show the order of its values.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <source>{rows} · columns {number:,}–{number_2:,} of {total:,}</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <source>Open all %n rows</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <source>It cannot be sorted: it has too many rows.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <source>{column}
Click to sort</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Open the table</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <source>Copy table</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <source>Show fewer rows</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <source>Show %n rows</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <source>Click to sort all %n rows</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <source>No rows</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <source>More columns</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/table_card.py" />
      <source>Columns before</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/cards/table_columns.py" />
      <source>{part:,} of {whole}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/find/timeline_find_bar.py" />
      <source>Find in conversation</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/find/timeline_find_bar.py" />
      <source>{number:,} of {total:,}{more}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/find/timeline_find_bar.py" />
      <source>{total:,}{more} found</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/model/rows.py" />
      <source>A result that this version of Playhead does not show: {kind}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/model/rows.py" />
      <source>Messages above this line are no longer sent to the model.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/model/rows.py" />
      <source>The conversation is longer than the model takes; the oldest turns were left out.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/model/sources.py" />
      <source>Source</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/model/timeline_model.py" />
      <source>block {number}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/model/timeline_model.py" />
      <source>cut off</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/model/timeline_model.py" />
      <source>exit {exit_status}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/model/timeline_model.py" />
      <source>Stopped before the answer began.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/past_bar.py" />
      <source>Run {number:,} of {total:,}, {time}, {outcome}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/past_bar.py" />
      <source>You look at run {number:,} of {total:,}, {time}</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/timeline/past_bar.py" />
      <source>%n files changed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/past_bar.py" />
      <source>A new branch begins after this run; what came later is kept</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/past_bar.py" />
      <source>Show the conversation as it is now (Esc on the playhead)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>Attachment</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>Picture</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>Tool</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>Input</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>Sources</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>queued</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/accessibility.py" />
      <source>Note</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/timeline/scroll/latest_button.py" />
      <source>%n new</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/latest_button.py" />
      <source>Jump to latest, {text}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/latest_button.py" />
      <source>Jump to latest</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/latest_button.py" />
      <source>{name} (End)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Copy for a spreadsheet (TSV)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Copy as CSV</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Find in conversation…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Select all</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Copy as Markdown</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Copy as text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Copy this entry</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Copy this entry as Markdown</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Copy this turn as Markdown</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Copy this turn as text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Delete this turn</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Copy link address</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Show the line that printed this</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>Copy this entry as text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/mouse_handler.py" />
      <source>View what was sent…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/run_rail.py" />
      <source>Now: drag the playhead up to see an earlier run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/scroll/run_rail.py" />
      <source>now</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/text/document_maker.py" />
      <source>[image: {name}]</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/text/formula_renderer.py" />
      <source>This formula is too long to draw.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/text/formula_renderer.py" />
      <source>Formulas that define commands are not drawn.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/text/formula_renderer.py" />
      <source>This formula is nested too deeply to draw.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/text/formula_renderer.py" />
      <source>This formula is too large to draw.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/text/formula_renderer.py" />
      <source>This formula cannot be drawn.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/text/formula_renderer.py" />
      <source>This formula takes too long to draw.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/text/formula_renderer.py" />
      <source>This formula cannot be read.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/timeline/text/line_clipper.py" />
      <source>… %n characters more</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/text/markdown_stream.py" />
      <source>Shown as plain text: too long a list or quotation.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/text/markdown_stream.py" />
      <source>Shown as plain text: nested too deep.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/text/markdown_stream.py" />
      <source>Shown as plain text: too many brackets.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/text/markdown_stream.py" />
      <source>Shown as plain text: too many changes of type.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/timeline/text/markdown_stream.py" />
      <source>Shown as plain text: too long a word.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/timeline/view.py" />
      <source>%n entries</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/banner.py" />
      <source>Close message</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/widgets/drop_zone.py" />
      <source>Attach “{name}” and %n others to your message</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/drop_zone.py" />
      <source>Attach “{name}” to your message</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/drop_zone.py" />
      <source>Code can open what you attach by its path.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/drop_zone.py" />
      <source>Import as a conversation</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/widgets/drop_zone.py" />
      <source>Import %n conversations</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/drop_zone.py" />
      <source>Work in “{name}”</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/drop_zone.py" />
      <source>Code of this conversation will run there.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/drop_zone.py" />
      <source>Attach the image to your message</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/find_bar.py" />
      <source>Match upper and lower case</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/find_bar.py" />
      <source>Previous (Shift+F3)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/find_bar.py" />
      <source>Next (F3)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/find_bar.py" />
      <source>Close the search (Esc)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/form.py" />
      <source>{name} must be between {low} and {high}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/form.py" />
      <source>{name} must be a number, or empty for the default.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/message_box.py" />
      <source>Not saved yet</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/ui/widgets/message_box.py" />
      <source>%n changes of your conversations are not saved: the disk does not take them.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/message_box.py" />
      <source>Make room on the disk, or see that its folder can be written to. Playhead saves by itself as soon as it can; then close it again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/message_box.py" />
      <source>Close and lose them</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/wording.py" />
      <source>Working folder: {folder}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/wording.py" />
      <source>The code has gone to {folder}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/wording.py" />
      <source>Working folder on {machine}: {folder}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/ui/widgets/wording.py" />
      <source>your home folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>Undo covers {covered:,} of {files:,} files; not: {names}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>{name} cannot be put back: {reason}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>{name} ({detail})</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>Cannot be undone: {reason}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>To get the earlier version, rename this one and undo this file again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>The difference is what an undo would do to it.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>%n variables</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>%n created</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>%n deleted</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>%n moved</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>Variables made: {names}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>Variables changed: {names}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>Variables deleted: {names}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>{name} was changed since, so it was left as it is.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>{name} shares objects with a variable that was changed since, so it was left.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>{name} was left as it is: {reason}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>mode {before} → {after}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>link {before} → {after}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>other programs may run it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>this system has no undo of files</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>the folder is a whole home folder; choose a folder of its own for the code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>the folder has too many files</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>reading the folder takes too long</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>the disk has no room to keep the files as they are</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>the folder is not there</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>the process that keeps files has failed; the log has the details</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>too large</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>too much in all</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>may not be read</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>no ordinary file</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>left out</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>was being changed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>was being replaced</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>Undo does not cover {names}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>In the sandbox's own home, not in yours: {names}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>Installed for the code of this folder alone: {names}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>Its variables cannot be put back: the next run came before they were saved.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>It was also let change {names}: not watched, and not undone here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>Changed since, so it was left as it is.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>Something else is in its place now and was left there.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>It was not kept as it was, so it cannot be put back.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>A folder on its way is another one now, so nothing was written there.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>The system did not allow it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>Undone: {names}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>Done again: {names}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>Kept: {names}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>Deleted: {names}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>Applied: {names}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>Discarded: {names}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/file_effects.py" />
      <source>In the copy: {counts}</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>%n runs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>{path} is outside of the sandbox.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>no run yet</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>May read {path}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>May change {path}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>May reach {host}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>May install packages of {index}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>May see the variable {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>May not read {path}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>May not change {path}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>May not reach {host}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>May not install packages of {index}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>May not see the variable {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>Let it read {path}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>Let it change {path}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>Allow {host}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>Allow packages of {index}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>Let it see {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>Read a folder or file</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>Change a folder or file</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>Reach a place in the network</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>Install packages</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>See a variable of the environment</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>For this run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>For this conversation</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>For this folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>Until the next run has ended</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>In this conversation</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/grant_words.py" />
      <source>In all conversations with {folder}</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Network: %n places</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Inside the sandbox: {what}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>On {machine} there is no sandbox, no undo of files, and no variables are saved.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Everything on {machine}</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>%n places in the network</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Tested here {when}: {found}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>on {date}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>never asks</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>asks every time</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Runs as you, with all your files.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>a copy of this folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>this folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>with the network</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>no network</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Other programs may run files that code writes into the working folder under names that they look for, as a Makefile or package.json.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>A mistake in the system's kernel is not covered: a sandbox is not a virtual machine.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Code runs as you, with all your files: there is no sandbox on this computer.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Not tested on this computer yet.</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>%n of {total} attempts got through.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>today {clock}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Look only</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Everything</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Code reads the working folder and changes nothing in it. Your other files are hidden from it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Code reads and changes the working folder. Your other files are hidden from it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>No sandbox: code runs as you, with all your files and programs, until Playhead is closed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Code works in a copy of the folder. Nothing happens to the folder itself before you apply it, all or a part.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Code changes nothing, so that there is nothing to review.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Only a sandbox can keep code to a copy.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Network off</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Network listed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Network on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Listed places</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Code reaches the internet, your own network and the servers of this computer. What it can read it can also send.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Code reaches no other computer, and no program of this one.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Code reaches the listed places only.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Code reaches public names of the internet, not this computer's own servers nor those of your network. What it can read it can also send.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Every block</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Only what is risky</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Not inside the sandbox</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Each block of code waits for your approval.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Code waits that is seen to delete, to reach outside of the folder or into the network, or to start or install programs, and code of which that is unclear.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>Code runs without a question inside the sandbox. Outside of it each block waits.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>asks if risky</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>does not ask</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>review first</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>it can only read this folder</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>%n more to change</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>%n more to read</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>refused</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>not visible</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>only in a private copy</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>limited</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>not held by this sandbox</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>got through</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>cannot be tried here</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>%n of {total} attempts refused.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/policies.py" />
      <source>No attempt was refused.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/quantities.py" />
      <source>{seconds:.1f} s</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/quantities.py" />
      <source>{number:.1f} GB</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/quantities.py" />
      <source>{minutes} min {rest} s</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/quantities.py" />
      <source>{seconds} s</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/quantities.py" />
      <source>{number} ms</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/domain/text/quantities.py" />
      <source>%n bytes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/quantities.py" />
      <source>{number:.0f} kB</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/quantities.py" />
      <source>{number:.1f} MB</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/quantities.py" />
      <source>{number:.0f} MB</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/risk_words.py" />
      <source>Nothing risky seen</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/risk_words.py" />
      <source>Line {line}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/risk_words.py" />
      <source>Not let through: {what}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/risk_words.py" />
      <source>blocked</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/risk_words.py" />
      <source>hidden</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/risk_words.py" />
      <source>{module}, line {line}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/risk_words.py" />
      <source>deletes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/risk_words.py" />
      <source>writes outside</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/risk_words.py" />
      <source>writes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/risk_words.py" />
      <source>network</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/risk_words.py" />
      <source>starts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/risk_words.py" />
      <source>installs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/risk_words.py" />
      <source>reads secrets</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/risk_words.py" />
      <source>changes settings</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/risk_words.py" />
      <source>cannot be told</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/risk_words.py" />
      <source>likely</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/risk_words.py" />
      <source>where is not known</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>Its variables were lost.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>signal {number}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>{words}; line {line} of its block makes it again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>the main thread goes on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>Refused: {places}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>at line {line}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>after {time}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>the code did not stop within {limit:g} s</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>The variables from before this run are saved.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>it is lost</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>a generator cannot be kept</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>an open file cannot be kept</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>a lock cannot be kept</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>a socket cannot be kept</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>an open connection cannot be kept</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>a running program cannot be kept</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>a thread cannot be kept</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>a view of memory cannot be kept</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>it is in the memory of a graphics card</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>a frame cannot be kept</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>a weak reference cannot be kept</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>its class is not defined at the top of a block</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>its class was defined again since</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>it cannot be pickled</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>it is too large</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>it looks like a secret</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>saving it took too long, or failed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>its module cannot be imported</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>it could not be read again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>its file is missing or was changed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>another Python has saved it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>code that may do something else has saved it</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>%n threads go on</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>%n processes go on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>exit status {status}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>the limit of the settings is {limit:g} s</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>the limit of the settings is {megabytes:,.0f} MB of memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>it did not start within {limit:g} s</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>what code may do was changed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>code of another language works in the copy of the folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>it was stopped before the code began</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>the run was abandoned</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>the kernel was restarted</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>the program was closed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>another interpreter was chosen</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>the run was ended with its conversation</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>Playhead ended while this code was running</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>this is how far the run was when it was saved</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>Stopped</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>It ended with status {status}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/text/run_ends.py" />
      <source>The kernel ended</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/assistants/runs.py" />
      <source>Nobody decided in time.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/assistants/threads.py" />
      <location filename="../../app/playhead/session/session_events.py" />
      <location filename="../../app/playhead/session/sessions.py" />
      <source>This conversation is still busy.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/server/bridge.py" />
      <source>Playhead is being closed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/server/outbox.py" />
      <source>The answer was not read as fast as it came</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/server/outbox.py" />
      <source>Read the stream to its end while the turn runs.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/server/sockets.py" />
      <source>“{host}” can be reached from other machines</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/server/sockets.py" />
      <source>“{host}” is not an address of this computer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/server/sockets.py" />
      <source>Port {port} is taken by another program</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/server/sockets.py" />
      <source>Port {port} may not be used by this user</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/server/sockets.py" />
      <source>The server then needs TLS and the names that it may be reached by</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/server/sockets.py" />
      <source>Give a certificate, its key and an allowed host, or listen on 127.0.0.1.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/server/sockets.py" />
      <source>The certificate or its key cannot be used</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/server/sockets.py" />
      <source>Give both as PEM files, the key that belongs to the certificate, no password.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/server/sockets.py" />
      <source>Listen on 127.0.0.1, or on an address of this computer.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/server/sockets.py" />
      <source>Choose a port above 1023.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/server/sockets.py" />
      <source>End that program, or choose another port.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/server/sse.py" />
      <source>The turn was cancelled before it had an answer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/server/sse.py" />
      <source>A part of the answer is too long to be sent</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/stdio.py" />
      <source>No code is waiting for a decision.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/stdio.py" />
      <location filename="../../app/playhead/api/turns/api_turn.py" />
      <location filename="../../app/playhead/bootstrap/window_life.py" />
      <source>Something in Playhead itself went wrong.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/stdio.py" />
      <source>Its log file has the details. If it keeps happening, please report it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/stdio.py" />
      <source>The turn before has not ended.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/stdio.py" />
      <source>No conversation has begun.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/stdio.py" />
      <source>Begin one first.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/turns/api_sessions.py" />
      <source>The session is busy with a turn.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/turns/api_sessions.py" />
      <source>Stop it first.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/turns/api_turn.py" />
      <source>It asked “{prompt}”.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/turns/api_turn.py" />
      <location filename="../../app/playhead/providers/provider.py" />
      <source>The answer broke off in the middle of code.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/turns/api_turn.py" />
      <location filename="../../app/playhead/providers/provider.py" />
      <source>The call was incomplete.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/turns/api_turn.py" />
      <location filename="../../app/playhead/execution/file_watch.py" />
      <location filename="../../app/playhead/providers/provider.py" />
      <source>Try again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/turns/api_turn.py" />
      <source>The code asks for input, and there is no one to answer.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/api/turns/api_turn.py" />
      <source>Have it take what it needs in another way.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/bootstrap/headless.py" />
      <source>{path} is not a folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/bootstrap/headless.py" />
      <source>Give the path of an existing folder.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/bootstrap/replay.py" />
      <source>{path} is too large, or no regular file.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/bootstrap/replay.py" />
      <source>{path} could not be read.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/bootstrap/window_life.py" />
      <source>{kind} — the log file has the details: {folder}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/bootstrap/window_life.py" />
      <source>Your conversations are safe. If it keeps happening, please report it: “Crash reports…” in the menu has what you need.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/checker.py" />
      <source>The check could not be carried out.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>an output is missing</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>a figure is missing</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>a table is missing</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>a formatted text is missing</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>it does not ask for input, as recorded</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>an output that is not recorded</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>a figure that is not recorded</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>a table that is not recorded</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>a formatted text that is not recorded</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>it asks for input, which is not recorded</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>it did not fail with {error}, as recorded</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>it uses random numbers without a seed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>the order of a set of texts is another one in each process</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>no cell makes {name}: code that is not here had left it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>the package is not in the environment of the check</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>it reads a file that is not among the inputs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>it needs the network, which it does not reach here</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>it failed: {error}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>only a later cell makes {name}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>a table that cannot be read</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/cell_comparison.py" />
      <source>{now}, recorded {before}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/figure_comparison.py" />
      <source>{before} points, now {now}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/figure_comparison.py" />
      <source>the same to the eye</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/figure_comparison.py" />
      <source>the drawing is another one</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/figure_comparison.py" />
      <source>a picture that cannot be read</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/figure_comparison.py" />
      <source>{share} of the picture looks different</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/figure_comparison.py" />
      <source>the same drawing</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/file_comparison.py" />
      <source>its bytes differ</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/file_comparison.py" />
      <source>{before} bytes, now {now}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/file_comparison.py" />
      <source>line {line}, column {column}: {before}, now {now}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/file_comparison.py" />
      <source>the same values</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/file_comparison.py" />
      <source>{name} in it differs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/file_comparison.py" />
      <source>what is packed in it differs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/file_comparison.py" />
      <source>the same contents</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/file_comparison.py" />
      <source>the same but for its date</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/table_comparison.py" />
      <source>{before} rows, now {now}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/table_comparison.py" />
      <source>{before} columns, now {now}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/table_comparison.py" />
      <source>cells that differ: {count}, the first in row {row}, column {column}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/table_comparison.py" />
      <source>without the columns {gone}, with {new}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/table_comparison.py" />
      <source>without the columns {gone}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/table_comparison.py" />
      <source>with the columns {new}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/table_comparison.py" />
      <source>columns in another order</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/table_comparison.py" />
      <source>only the first rows are recorded</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/text_comparison.py" />
      <source>{before} lines, now {now}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/text_comparison.py" />
      <source>numbers by up to {share} of their value</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/text_comparison.py" />
      <source>addresses, times or paths</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/text_comparison.py" />
      <source>the same words with other spaces or lines</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/comparing/text_comparison.py" />
      <source>line {number}: {before}, now {now}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/judgement.py" />
      <source>what an installation prints</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/judgement.py" />
      <source>{now}, recorded with {before}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/judgement.py" />
      <source>it did not end as recorded: {end}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/judgement.py" />
      <source>{names} may have been another one</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/judgement.py" />
      <source>another version of {names}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/judgement.py" />
      <source>another file (only hashes were compared: the recorded one is gone)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/judgement.py" />
      <source>it asks for input, and what was typed is not recorded</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/judgement.py" />
      <source>it is made now, which is not recorded</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/judgement.py" />
      <source>it is an input, and is not there</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/judgement.py" />
      <source>this input is another one than was recorded</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/judgement.py" />
      <source>it was not run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/judgement.py" />
      <source>it is not made any more</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/recorded_cells.py" />
      <source>There is nothing to check in this file.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/recorded_cells.py" />
      <source>None of its code is recorded as run to its end.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/checking/recorded_cells.py" />
      <source>Choose a notebook whose cells were run, or a script.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/execution.py" />
      <source>“{module}” is not the name of a module.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/grants.py" />
      <source>“{name}” is not the name of a place in the network.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/grants.py" />
      <source>“{name}” is not an index of packages.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/grants.py" />
      <source>“{name}” is not the name of a variable.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/grants.py" />
      <source>The known ones are {known}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/grants.py" />
      <source>A name looks like api.example.com, or like api.example.com:8443 with a port.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/places.py" />
      <source>“{address}” is no name of a machine.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/places.py" />
      <source>“{words}” is no path there.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/places.py" />
      <source>Give it as ssh takes it: gpu-box, or anna@gpu-box.example.org.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/places.py" />
      <source>No server has this address.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/domain/places.py" />
      <source>Paste what the browser shows, like https://lab.example.org/lab.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>A Python environment for your code is being made.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>{path}: its environment names no version.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>{path}: it answers something else.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>{path} is Python {version}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>On Debian and Ubuntu install them: sudo apt install {package}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>{path}: it did not answer within {limit} s.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>{path} leads to {place}, which does not exist.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>{path} comes without the modules venv and ensurepip.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <location filename="../../app/playhead/execution/environments/package_keeper.py" />
      <source>This is not a usable Python.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>Choose the program python3 or python.exe of a Python 3.9 or newer.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>This Python is too old.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>Choose Python 3.9 or newer.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>There is no Python at this place.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>Choose another one, or make its environment again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>The Python environment could not be written.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>Free disk space or choose another interpreter.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>There is no Python to make an environment from.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>Install Python 3.9 or newer, for example: sudo apt install python3 python3-venv</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>The Python environment could not be made.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>There is no Python that can run code.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/interpreters.py" />
      <source>Install Python 3.9 or newer, or choose one.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/locked_environments.py" />
      <source>{path} comes without the module venv.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/locked_environments.py" />
      <source>The environment for the check could not be made.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/locked_environments.py" />
      <source>Check with the present environment; the report then says so.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/locked_environments.py" />
      <source>The package index cannot be reached.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/locked_environments.py" />
      <source>The recorded packages could not be installed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/package_keeper.py" />
      <source>{interpreter} would run outside of the sandbox.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/package_keeper.py" />
      <source>If you trust it, install them in a terminal: {pip} install NAME.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/package_keeper.py" />
      <source>This environment is in a folder that code may change.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/package_keeper.py" />
      <source>There is no environment to install into.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/package_keeper.py" />
      <source>Code runs in the Python of Playhead itself.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/package_keeper.py" />
      <source>Choose a Python of your own.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/package_keeper.py" />
      <source>It took too long.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/place_finder.py" />
      <source>The kernel “{label}” cannot be started.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/place_finder.py" />
      <source>{path} says no command.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/place_finder.py" />
      <source>There is no {program}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/place_finder.py" />
      <source>On Windows Playhead cannot run Jupyter's kernels yet.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/place_finder.py" />
      <source>Choose where this conversation runs.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/server_finder.py" />
      <source>The server could not be asked.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/environments/server_finder.py" />
      <source>Try again, or look into the log.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/file_watch.py" />
      <source>The process that does this has failed ({problem}).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/file_watch.py" />
      <source>The files could not be put back.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/file_watch.py" />
      <source>The process that does this has ended.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/file_watch.py" />
      <source>There is not enough room on the disk to put these files back.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/file_watch.py" />
      <source>What they are now is kept first, so that this can be redone.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/file_watch.py" />
      <source>Free some space, then try again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/file_watch.py" />
      <source>There can be no copy of your home folder.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/file_watch.py" />
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>Choose a folder of its own for this conversation.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/file_watch.py" />
      <source>There can be no copy of this folder.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/file_watch.py" />
      <source>The file system of Playhead's data keeps no attributes of files.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/file_watch.py" />
      <source>Switch off the review before changes land.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/file_watch.py" />
      <source>Files cannot be put back on this system.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/file_watch.py" />
      <source>The working folder is no longer there, or another one has its place.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/file_watch.py" />
      <source>Put the folder back where it was.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/file_watch.py" />
      <location filename="../../app/playhead/session/past/run_files.py" />
      <source>This can no longer be put back.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/file_watch.py" />
      <source>The files as they were are not kept any more.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/keeping/checkouts.py" />
      <source>The variables could not be changed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/keeping/checkouts.py" />
      <location filename="../../app/playhead/session/past/kept_variables.py" />
      <source>The variables of this run are not kept.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/keeping/checkouts.py" />
      <source>Make room on the disk, then try again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/keeping/checkouts.py" />
      <source>The kernel has not answered.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/keeping/checkouts.py" />
      <source>Look at the variables, then try again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/keeping/variable_keeper.py" />
      <source>The variables are not changed: they could not be saved as they are now.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/keeping/variable_keeper.py" />
      <source>Try again when the code has ended.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/keeping/variable_keeper.py" />
      <source>Nothing is kept of the variables.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/kernel_process.py" />
      <source>The sandbox of the running kernel could not be changed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/kernel_process.py" />
      <source>it does not answer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/kernel_process.py" />
      <source>Restart the kernel.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/languages.py" />
      <source>{language} does not run on this system.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/languages.py" />
      <source>{language} is not installed here. {advice}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/live_kernel.py" />
      <source>{language} could not be started.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/live_kernel.py" />
      <source>“{name}” is not a table.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/live_kernel.py" />
      <source>There is no place for the output of code.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/live_kernel.py" />
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>Free disk space or make the folder writable.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/live_kernel.py" />
      <source>The kernel is busy.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/live_kernel.py" />
      <source>Ask again when the code has ended.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/live_kernel.py" />
      <source>See whether it starts in a terminal, or ask for the code in another language.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/live_kernel.py" />
      <source>The interpreter could not be started.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/live_kernel.py" />
      <source>Choose another interpreter.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/live_kernel.py" />
      <source>The sandbox could not be made, so nothing was started.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/live_kernel.py" />
      <source>Test the sandbox again; it says what is missing.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/live_kernel.py" />
      <source>The kernel is busy with other code.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/live_kernel.py" />
      <source>Wait for it or stop it first.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/live_kernel.py" />
      <source>Ask again when the code has ended, or stop it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/machines/far_side.py" />
      <source>“{name}” could not be copied.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/machines/far_side.py" />
      <source>There is no connection to where this code ran.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/machines/far_side.py" />
      <source>Run code there again, then open the file.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/machines/far_side.py" />
      <source>Free some space on this computer, then try again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/process_executor.py" />
      <source>Code in “{language}” cannot be run.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/process_executor.py" />
      <source>What can be run: {languages}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/process_executor.py" />
      <source>There is no Python kernel.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/process_executor.py" />
      <source>Run the code again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/process_executor.py" />
      <source>There is nobody here who keeps a copy of the folder.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/process_executor.py" />
      <source>The weaker sandbox of this computer cannot hold a kernel of Jupyter.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/process_executor.py" />
      <source>Code in it gets no sockets, which such a kernel is spoken to by.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/process_executor.py" />
      <source>Choose a Python, or the policy “everything” for this conversation.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/process_executor.py" />
      <source>There is no sandbox here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/process_executor.py" />
      <source>Let the code of this conversation run without.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/process_executor.py" />
      <source>The working folder no longer exists.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/process_executor.py" />
      <source>Ask for the code in one of these languages.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/results.py" />
      <source>It sent nothing for {limit} s.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/results.py" />
      <source>It has ended: {reason}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/results.py" />
      <source>The kernel did not answer.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/results.py" />
      <source>Try again, or restart the kernel.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/results.py" />
      <source>Its answer cannot be read.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/run_stream.py" />
      <source>{language} code cannot be paused.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/run_stream.py" />
      <source>Only Python code can.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/execution/run_stream.py" />
      <source>Stop it, or let it go on.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/document.py" />
      <location filename="../../app/playhead/formats/documents/recordings.py" />
      <source>This file cannot be read as a conversation.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/document.py" />
      <location filename="../../app/playhead/formats/documents/profiles_toml.py" />
      <source>It is not text in UTF-8.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/document.py" />
      <location filename="../../app/playhead/formats/documents/recordings.py" />
      <source>Choose a notebook, a list of messages or a recorded stream of events.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/message_list.py" />
      <source>There is no conversation in this file.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/message_list.py" />
      <source>None of its messages could be understood.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/message_list.py" />
      <source>Choose a file with Open Interpreter's messages, or a notebook.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/message_list.py" />
      <source>This file is not a conversation.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/message_list.py" />
      <source>A conversation is a list of messages.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/notebook_import.py" />
      <source>This notebook is of the old version {version} of the format.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/notebook_import.py" />
      <source>This notebook is of version {version} of the format, which is not known here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/notebook_import.py" />
      <source>There is nothing in this notebook.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/notebook_import.py" />
      <source>Choose one that has cells.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/notebook_import.py" />
      <source>This file is not a notebook.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/notebook_import.py" />
      <source>It has no list of cells.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/notebook_import.py" />
      <source>Choose a file that Jupyter opens.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/notebook_import.py" />
      <source>Save it as version 4.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/notebook_import.py" />
      <source>Save it with a newer Jupyter (`jupyter nbconvert --to notebook`), then import.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/profiles_toml.py" />
      <source>It holds more than {count} profiles.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/profiles_toml.py" />
      <source>Two of its profiles have the name “{name}”.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/profiles_toml.py" />
      <source>Profile {number} is not a table.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/profiles_toml.py" />
      <source>Profile {number} has no name.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/profiles_toml.py" />
      <source>The name of profile {number} is too long or holds odd characters.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/profiles_toml.py" />
      <source>It is not TOML: {reason}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/profiles_toml.py" />
      <source>A value in it cannot be read: {reason}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/profiles_toml.py" />
      <source>Its “profile” is not a list of tables.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/profiles_toml.py" />
      <source>It was written by a newer version of Playhead.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/profiles_toml.py" />
      <source>It does not say that it holds profiles of Playhead.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/profiles_toml.py" />
      <source>It is nested too deeply.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/profiles_toml.py" />
      <source>It is larger than a megabyte.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/profiles_toml.py" />
      <source>These profiles cannot be imported.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/profiles_toml.py" />
      <source>Choose a file that was exported from Playhead.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/documents/recordings.py" />
      <source>It is not a recorded stream in a known format.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/wire/assistants/decode.py" />
      <source>The run expired before its outputs came.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/wire/assistants/decode.py" />
      <location filename="../../app/playhead/formats/wire/codec.py" />
      <location filename="../../app/playhead/formats/wire/cohere/objects.py" />
      <source>Ask again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/wire/assistants/decode.py" />
      <source>The run failed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/wire/chat_completions/decode.py" />
      <source>The server reported an error.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/wire/codec.py" />
      <source>The stream broke off before its end.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/wire/cohere/encode.py" />
      <source>The answer was cancelled.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/wire/cohere/objects.py" />
      <source>The model's server reported an error.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/wire/cohere/objects.py" />
      <source>The model took too long.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/wire/kernel_messages/decode.py" />
      <source>The kernel reported an error.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/formats/wire/native/objects.py" />
      <source>The stream failed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/connections.py" />
      <source>The proxy cannot be used.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/connections.py" />
      <source>Correct “Proxy” in the settings; it looks like http://proxy.example:3128.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/connections.py" />
      <source>SOCKS is not supported.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/connections.py" />
      <source>The file of certificates cannot be read.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/connections.py" />
      <source>Choose another file as “Certificates” in the settings, in PEM format, or none.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/diagnosis.py" />
      <source>Is the server running? Check the network and “Address” in the settings.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/diagnosis.py" />
      <source>No connection to the provider.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/diagnosis.py" />
      <source>Check the network.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/diagnosis.py" />
      <source>No connection to the proxy.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/diagnosis.py" />
      <source>Check the network and “Proxy” in the settings.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/diagnosis.py" />
      <source>Check the network, and the spelling of the address in the settings.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/diagnosis.py" />
      <source>If your company inspects connections, choose its file in the settings (Certificates).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/diagnosis.py" />
      <source>The proxy refused the connection.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/diagnosis.py" />
      <source>Check “Proxy” in the settings.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/diagnosis.py" />
      <source>The provider redirects to another address.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/diagnosis.py" />
      <source>Enter the address that it belongs to as “Address” in the settings.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/diagnosis.py" />
      <source>The model's server did not answer in time.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/diagnosis.py" />
      <source>Try again, or check “Address” in the settings and the network.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>Enter it in the settings.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>The provider refused the key.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>Enter the right API key in the settings.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>The model's server refused the request.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>Check the model and its settings; the detail says what was wrong.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>The model's server failed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>Try again in a moment, or choose another model.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>The provider refused the request by its content rules.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>The conversation is too long for this model.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>Start a new conversation, or choose a model with a larger context.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>Check the model's name in the settings, and its address if it has one.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>The provider asks to wait: too many requests.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>Wait a moment and try again; check the limits of your account if this continues.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>The account with the provider is used up.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>Check its balance and limits with the provider, or choose another model.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>The key may not use this model.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>Choose another model, or a key that is allowed to use it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>The answer broke off.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>Try again. If it happens again, the model's server or the network is at fault.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>The connection ended before the model said that it was done.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>The server did not answer as a model does.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <location filename="../../app/playhead/model_worker/model_lists.py" />
      <source>Check “Address” in the settings; for most servers it ends in /v1.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>It reported success but sent no stream of events.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>The model's server sent something that cannot be read.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <location filename="../../app/playhead/providers/parser/delta_parser.py" />
      <source>Try again. If it happens again, the server is at fault.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>Check “Address” in the settings; try again if it is right.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>The model made a call that its provider could not read.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>Try again; a model that is better with tools may help.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>Write the model as provider/name, for example openai/gpt-4o.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>Choose another model, or ask without tools.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>The model fell silent.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>The model does not answer.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/errors.py" />
      <source>Try again, or choose another model or server.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/model_lists.py" />
      <source>It is larger than any list of models.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/model_lists.py" />
      <source>It does not have the shape of a list of models.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/model_lists.py" />
      <source>It is not JSON.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/model_worker/model_lists.py" />
      <source>The server's answer is not a list of models.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/place_worker/carrier/carrier.py" />
      <source>cancelled</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/place_worker/carrier/carrier.py" />
      <source>no_program</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/place_worker/carrier/carrier.py" />
      <location filename="../../app/playhead/place_worker/carrier/machine_connection.py" />
      <source>other</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/place_worker/carrier/carrier.py" />
      <source>no_name</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/place_worker/carrier/carrier.py" />
      <source>taken</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/place_worker/carrier/machine_connection.py" />
      <source>It says more than it should.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/providers/provider.py" />
      <source>It had more than {most} parts.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/providers/provider.py" />
      <source>It was longer than {most} characters.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/providers/provider.py" />
      <source>It had more than {most} tool calls.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/providers/provider.py" />
      <source>The answer was cut.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/providers/provider.py" />
      <source>Ask for less in one message, or choose another model.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/providers/provider.py" />
      <source>It reached its maximum length.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/providers/provider.py" />
      <source>Raise “Max tokens” in the settings.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/providers/worker.py" />
      <source>It has {size}, perhaps mostly pictures.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/providers/worker.py" />
      <source>It ended with status {status} before it was ready.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/providers/worker.py" />
      <source>Its exit status was {status}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/providers/worker.py" />
      <source>The conversation is too large to be sent.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/providers/worker.py" />
      <source>Start a new conversation, or leave out pictures.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/providers/worker.py" />
      <source>The model worker could not be started.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/providers/worker.py" />
      <source>Try again. If it happens again, reinstall Playhead; the log says more.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/providers/worker.py" />
      <source>The model worker ended unexpectedly.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/providers/worker.py" />
      <source>Ask again; a new one is started.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/providers/worker.py" />
      <source>The program is closing.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>Playhead may not make namespaces of its own: {problem}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>{folder} is {real}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>A network for some names only cannot be made on this computer.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>Turn the network off.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>This folder is the system's.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>This folder is in Playhead's data.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>Playhead itself, or its data, is in this folder.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>This folder holds all your files, so that nothing would be hidden.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>This folder has the working folder in it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>Choose it as the working folder instead.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>Code was denied the working folder.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>Take the denial back, or choose another folder.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>Name a smaller folder, or a file.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>The sandbox has no place for its private home.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>The way to the working folder leads over a link.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>Choose the folder that the link points to.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>The weaker sandbox of this computer has no review.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>The sandbox of this computer is weaker than the one that was tested.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>Test it again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>The way to a granted folder leads over a link.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/sandbox/sandbox.py" />
      <source>Revoke it, and grant the folder that the link points to.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/branches.py" />
      <source>There is no question before this answer to ask again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/branches.py" />
      <source>There is no question before this to delete.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/code_runs.py" />
      <source>Interrupted: Playhead was closed before an answer came.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/code_runs.py" />
      <source>Retry asks the model again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/elsewhere/saved_places.py" />
      <source>There is no place “{name}”.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/elsewhere/saved_places.py" />
      <source>{server} has no kernel “{name}”.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/elsewhere/saved_places.py" />
      <source>Known are: {names}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/elsewhere/saved_places.py" />
      <source>It has: {names}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/elsewhere/saved_places.py" />
      <source>No server can be asked here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/elsewhere/saved_places.py" />
      <source>Servers are added in the window; machines are the hosts of ~/.ssh/config.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/message_queue.py" />
      <location filename="../../app/playhead/session/session.py" />
      <source>There is nothing to send.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/message_queue.py" />
      <location filename="../../app/playhead/session/session.py" />
      <source>Type a message first.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/model_choice.py" />
      <source>“{model}” needs a key, and there is none.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/model_choice.py" />
      <source>Enter it in the settings, or set {variable}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/past/run_files.py" />
      <source>Nothing is kept of the files and variables as they were.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/rerun.py" />
      <source>No code has run in this conversation yet.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/rerun.py" />
      <source>No code is left to run again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/session.py" />
      <source>{path} is not a folder.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/session.py" />
      <source>{language} cannot be run here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/session.py" />
      <source>Languages that can: {languages}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/session.py" />
      <source>That version was deleted.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/session.py" />
      <source>Only your own messages can be edited.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/session.py" />
      <source>This cannot be run here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/session.py" />
      <source>Choose another one.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/session_events.py" />
      <source>Wait until it has finished, or stop it first.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/sessions.py" />
      <source>That conversation was deleted.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/stops.py" />
      <source>This conversation has reached its budget of {budget}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/stops.py" />
      <source>Stopped after {steps} steps.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/stops.py" />
      <source>{count} answers in a row had broken arguments or unknown tools.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/stops.py" />
      <source>It has cost about {cost} so far.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/stops.py" />
      <source>It has cost {cost} so far.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/stops.py" />
      <source>Stopped after 1 step.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/stops.py" />
      <source>The model wanted to go on.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/stops.py" />
      <source>Continue, send another message, or raise “Steps per turn” in the settings.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/stops.py" />
      <source>The model keeps making calls that cannot be run.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/stops.py" />
      <source>Continue to let it try again, or choose a model that is better with tools.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/stops.py" />
      <source>The same code failed twice in a row.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/stops.py" />
      <source>The model did not change anything about it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/stops.py" />
      <source>Continue to let it try once more, or stop and tell it what to do instead.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/stops.py" />
      <source>Raise the budget to continue, or stop here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/copy_review.py" />
      <source>No changes wait for a review.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/grant_book.py" />
      <source>There is no folder or file {path}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/grant_book.py" />
      <source>Denied: {names}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/grant_book.py" />
      <source>An open network could not keep code from what is denied.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/grant_book.py" />
      <source>Revoke the denial, or turn the network off or to a list.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/grant_book.py" />
      <source>Code of this conversation runs outside of the sandbox.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/grant_book.py" />
      <source>It reaches all that you can.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/grant_book.py" />
      <source>Let it run in the sandbox first.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/grant_book.py" />
      <source>This was denied.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/grant_book.py" />
      <source>Take the denial back first.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/grant_book.py" />
      <source>The network is open already.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/grant_book.py" />
      <source>An open network could not keep code from a place.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/grant_book.py" />
      <source>Turn the network off or to a list first.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/grant_book.py" />
      <source>This conversation has no folder yet.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/grant_book.py" />
      <source>Grant it for the conversation.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/grant_book.py" />
      <source>There is no such grant.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/grant_book.py" />
      <source>Name it by its whole path.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/kept_packages.py" />
      <source>These packages do not wait for the environment.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/kept_packages.py" />
      <source>Look at those that do.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/policy_choice.py" />
      <source>The boundary test got out of it: {names}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/policy_choice.py" />
      <source>Code is running.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/policy_choice.py" />
      <source>What it may do cannot be changed meanwhile.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/policy_choice.py" />
      <source>Wait until it has ended, or stop it first.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/policy_choice.py" />
      <source>Only a sandbox can shut the network.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/policy_choice.py" />
      <source>Code inside the sandbox is asked about, too.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/policy_choice.py" />
      <source>Playhead runs as root, whom a sandbox holds less.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/policy_choice.py" />
      <source>It can be chosen only while the boundary test of this computer holds.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/policy_choice.py" />
      <source>This kernel can only run at Everything.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/policy_choice.py" />
      <source>The weaker sandbox of this computer gives code no sockets, by which a kernel of Jupyter is spoken to.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/policy_choice.py" />
      <source>Choose Everything for this conversation, or a Python.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/policy_choice.py" />
      <source>The sandbox of this computer does not hold.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/route_guard.py" />
      <source>The key “{name}” was not sent: its way has changed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/route_guard.py" />
      <source>Send a message in Playhead's window, which asks; or start it with --key-route {digest} or PLAYHEAD_KEY_ROUTE={digest}, if this is your own change.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/route_guard.py" />
      <source>The key “{name}” was removed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/trust/route_guard.py" />
      <source>Enter a new key in the settings.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/turn.py" />
      <source>“{place}” runs no {language}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/session/turn.py" />
      <source>Have this conversation run on this computer first.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/single_instance.py" />
      <source>Playhead is already running, but its window does not answer.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/single_instance.py" />
      <source>Wait a moment and start it again, or end the running one.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/backups.py" />
      <source>Nothing was reset, because the backup could not be made.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/backups.py" />
      <source>Free some space there, or make sure that the folder can be written to.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/crash_reports.py" />
      <source>The report could not be deleted.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/crash_reports.py" />
      <source>Delete that file by hand.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/files.py" />
      <source>A file of the conversation could not be written.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/files.py" />
      <source>Free some space, or make sure that the folder can be written to.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/files.py" />
      <source>The conversation's files could not be deleted.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/files.py" />
      <source>Delete that folder by hand.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/history_writer.py" />
      <source>Check that {folder} is there, can be written to and is not full. Playhead keeps trying; nothing is lost while it runs.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/history_writer.py" />
      <source>The history is closed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/history_writer.py" />
      <source>Start Playhead again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/history_writer.py" />
      <source>The conversations are not being saved.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/history_writer.py" />
      <source>Another program holds the file: close it. Playhead keeps trying; nothing is lost while it runs.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/history_writer.py" />
      <source>The disk is full: free some space. Playhead keeps trying; nothing is lost while it runs.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/history_writer.py" />
      <source>The file of the conversations is damaged.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/history_writer.py" />
      <source>What can be read of it is being copied into a new file.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/history_writer.py" />
      <source>That may take a minute; what happens meanwhile is stored after it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/history_writer.py" />
      <source>This Playhead cannot read the conversations.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/message_search.py" />
      <source>The conversations could not be searched.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/message_search.py" />
      <source>Try again; if that does not help, restart Playhead.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/no_history.py" />
      <location filename="../../app/playhead/storage/history/sqlite_history.py" />
      <source>id {id}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/no_history.py" />
      <location filename="../../app/playhead/storage/history/sqlite_history.py" />
      <source>That conversation does not exist.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/sqlite_history.py" />
      <source>It may have been deleted in another window.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/sqlite_history.py" />
      <source>The conversation's files could not be copied.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/sqlite_history.py" />
      <source>Check that the disk is not full.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/write_refusal.py" />
      <source>The conversations in {folder} are in use by {holder}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/write_refusal.py" />
      <source>{path} cannot be written to: {reason}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/write_refusal.py" />
      <source>A newer Playhead wrote them.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/write_refusal.py" />
      <source>Start the newer Playhead, or this one with --data-dir and another folder.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/write_refusal.py" />
      <source>End that one and start this one again, or set PLAYHEAD_DATA_DIR to another folder for one of them; a window serves other programs itself (Settings).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/write_refusal.py" />
      <source>Make room there and see that you may write to the folder, then start Playhead again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/history/write_refusal.py" />
      <source>The conversations can only be read here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/key_store.py" />
      <source>The system's keyring does not answer.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/key_store.py" />
      <source>It may be waiting for you to unlock it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/system_keyring.py" />
      <source>Install, start or unlock GNOME Keyring or KWallet (apt install gnome-keyring), or set the provider's variable, such as OPENAI_API_KEY, before starting Playhead.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/system_keyring.py" />
      <source>Unlock the login keychain in Keychain Access.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/system_keyring.py" />
      <source>Start the Windows service “Credential Manager”.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/system_keyring.py" />
      <source>The configured keyring {module} keeps keys unencrypted and is not used.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/system_keyring.py" />
      <source>The entry “{entry}” of Playhead is {reason}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/system_keyring.py" />
      <source>The system's keyring stayed locked.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/system_keyring.py" />
      <source>Choose “Unlock” in the settings, or set the provider's variable before starting.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/system_keyring.py" />
      <source>The keys in the system's keyring cannot be read.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/system_keyring.py" />
      <source>Parts of them are missing.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/system_keyring.py" />
      <source>Delete the entries named Playhead in your keyring's program; enter the keys again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/system_keyring.py" />
      <source>No usable keyring.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/system_keyring.py" />
      <source>There is no keyring on this system, or it is not running.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/system_keyring.py" />
      <source>The system's keyring refused.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/system_keyring.py" />
      <source>Use the newest Playhead, or delete that entry and enter the keys again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/system_keyring.py" />
      <source>The system's keyring did not keep what was written.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/keys/system_keyring.py" />
      <source>Close other running copies of Playhead and try again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/recorded_sandbox.py" />
      <source>There is no sandbox on this computer.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/settings.py" />
      <source>{path} is unreadable and could not be put aside.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/settings.py" />
      <source>The settings were not saved.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/settings.py" />
      <source>They apply until Playhead is closed. Free some space, then save again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/settings.py" />
      <source>Move or repair that file, then start Playhead again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/working_folders.py" />
      <source>{base}: code of this conversation runs in {folder} instead.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/working_folders.py" />
      <source>Nothing can be written in the folder for documents.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/working_folders.py" />
      <source>Make it writable, or choose another folder under Settings → Running.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/working_folders.py" />
      <source>The working folder could not be made.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <location filename="../../app/playhead/storage/working_folders.py" />
      <source>Free disk space, make its place writable, or choose another folder.</source>
      <translation type="unfinished" />
    </message>
  </context>
</TS>
