/* Paths and files as real machines have them, and as somebody might make them up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proc/process_stat.h"
#include "unit_tests.h"

#define ID   "4f797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c38428142970"
#define ID2  "0f99ad5f45163ed14ab8eaf92ed34bb4a631d007f8755a7d79be614bcb0df0ef"
#define POD_ "ff49d0be_16b7_4a49_bb9e_8ec1f1f4e27f"
#define POD  "ff49d0be-16b7-4a49-bb9e-8ec1f1f4e27f"
#define TASK "34dc0b5e626f2c5c4c5170e34b10e765"

struct example {
	const char *path, *unit, *container, *pod;
};

static void check(const struct example *example)
{
	struct cgroup_name name;

	cgroup_name_parse(&name, example->path, strlen(example->path));
	if (strcmp(name.unit, example->unit) || strcmp(name.container, example->container) ||
	    strcmp(name.pod, example->pod))
		fail_msg("%s: unit \"%s\", container \"%s\", pod \"%s\"", example->path, name.unit,
			 name.container, name.pod);
}

#define CHECK_ALL(...) \
	do { \
		static const struct example examples[] = { __VA_ARGS__ }; \
		for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) \
			check(&examples[i]); \
	} while (0)

static void test_units_of_systemd_are_the_innermost(void **state)
{
	(void)state;
	CHECK_ALL(
		{ "/", "", "", "" },
		{ "/init.scope", "init.scope", "", "" },
		{ "/user.slice", "", "", "" },
		{ "/system.slice/nginx.service", "nginx.service", "", "" },
		{ "/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service", "",
		  "" },
		{ "/system.slice/cups.socket", "cups.socket", "", "" },
		{ "/user.slice/user-1000.slice/session-3.scope", "session-3.scope", "", "" },
		{ "/user.slice/user-1000.slice/user@1000.service/init.scope", "init.scope", "",
		  "" },
		{ "/user.slice/user-1000.slice/user@1000.service/app.slice/"
		  "app-gnome-org.gnome.Terminal-2953.scope",
		  "app-gnome-org.gnome.Terminal-2953.scope", "", "" },
		{ "/system.slice/postgresql@15-main.service/worker", "postgresql@15-main.service",
		  "", "" },
		{ "/system.slice/_cpu.service", "cpu.service", "", "" },
		{ "/system.slice/systemd-fsck@dev-disk-by\\x2duuid-1.service",
		  "systemd-fsck@dev-disk-by\\x2duuid-1.service", "", "" });
}

static void test_docker_and_podman_containers_are_known_by_their_id(void **state)
{
	(void)state;
	CHECK_ALL(
		{ "/docker/" ID, "", "4f797c539e6c", "" },
		{ "/" ID, "", "4f797c539e6c", "" },	/* Docker on old Debian */
		{ "/system.slice/docker-" ID ".scope", "", "4f797c539e6c", "" },
		{ "/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" ID ".scope",
		  "user@1000.service", "4f797c539e6c", "" },
		{ "/machine.slice/libpod-" ID ".scope/container", "", "4f797c539e6c", "" },
		{ "/libpod_parent/libpod-" ID, "", "4f797c539e6c", "" },
		{ "/system.slice/web.service/libpod-payload-" ID, "web.service", "4f797c539e6c",
		  "" },
		{ "/machine.slice/libpod-conmon-" ID ".scope", "libpod-conmon-" ID ".scope", "",
		  "" },
		{ "/ecs/" TASK "/" ID, "", "4f797c539e6c", "" },
		{ "/ecs/" TASK "/" TASK "-1234567890", "", TASK "-1234567890", "" },
		{ "/system.slice/garden.service/garden/70eb4c98-e5b2-4661-5c45-8dd2",
		  "garden.service", "70eb4c98-e5b2-4661-5c45-8dd2", "" },
		{ "/docker/buildkit/v0adxscqjj2wcbvlabr3kqpoc", "", "v0adxscqjj2wcbvlabr3kqpoc",
		  "" });
}

static void test_pods_of_kubernetes_have_a_uid_with_dashes(void **state)
{
	(void)state;
	CHECK_ALL(
		{ "/kubepods/burstable/pod" POD "/" ID, "", "4f797c539e6c", POD },
		{ "/kubepods/pod" POD "/" ID, "", "4f797c539e6c", POD },
		{ "/kubepods/besteffort/pod" POD, "", "", POD },
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD_
		  ".slice/cri-containerd-" ID ".scope", "", "4f797c539e6c", POD },
		{ "/kubepods.slice/kubepods-pod" POD_ ".slice/crio-" ID ".scope", "",
		  "4f797c539e6c", POD },
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD_
		  ".slice/crio-conmon-" ID ".scope", "crio-conmon-" ID ".scope", "", POD },
		{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" POD_
		  ".slice/docker-" ID ".scope", "", "4f797c539e6c", POD },
		{ "/system.slice/containerd.service/kubepods-burstable-pod" POD_
		  ".slice:cri-containerd:" ID, "containerd.service", "4f797c539e6c", POD },
		{ "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/"
		  "kubelet-kubepods-besteffort-pod" POD_ ".slice/cri-containerd-" ID ".scope", "",
		  "4f797c539e6c", POD },
		{ "/kubepods/burstable/pod8ad0bd0e9c5f2bd53d2a0bf3f7a5f7b5/" ID, "",
		  "4f797c539e6c", "8ad0bd0e9c5f2bd53d2a0bf3f7a5f7b5" },
		/* kind: a node that is a container itself */
		{ "/system.slice/docker-" ID2 ".scope/kubelet.slice/kubelet-kubepods.slice/"
		  "kubelet-kubepods-pod" POD_ ".slice/cri-containerd-" ID ".scope", "",
		  "4f797c539e6c", POD },
		{ "/system.slice/docker-" ID2 ".scope/system.slice/kubelet.service",
		  "kubelet.service", "0f99ad5f4516", "" });
}

static void test_machines_have_names(void **state)
{
	(void)state;
	CHECK_ALL(
		{ "/lxc.payload.web/system.slice/nginx.service", "nginx.service", "web", "" },
		{ "/lxc/web/init.scope", "init.scope", "web", "" },
		{ "/lxc.payload/web", "", "web", "" },
		{ "/lxc.monitor.web", "", "", "" },
		{ "/machine.slice/systemd-nspawn@build\\x2d7.service/payload",
		  "systemd-nspawn@build\\x2d7.service", "build-7", "" },
		{ "/machine.slice/machine-build\\x2d7.scope", "", "build-7", "" },
		{ "/machine.slice/machine-qemu\\x2d1\\x2dvm.scope/libvirt/emulator", "",
		  "qemu-1-vm", "" });
}

static void test_what_only_looks_like_one_is_none(void **state)
{
	(void)state;
	CHECK_ALL(
		{ "", "", "", "" },
		{ "//", "", "", "" },
		{ "/.service", "", "", "" },
		{ "/docker/web", "", "", "" },
		{ "/docker/" ID "0", "", "", "" },
		{ "/docker/x" ID, "", "", "" },
		{ "/docker/g" "f797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c38428142970", "",
		  "", "" },
		{ "/pod" POD, "", "", "" },	/* not beneath kubepods */
		{ "/kubepods/podcast", "", "", "" },
		{ "/my-pod" POD ".slice", "", "", "" },
		{ "/machine-\\x00\\x2.scope", "", "\\x00\\x2", "" });
}

/* The kernel's names have 255 bytes; a recording may claim anything. */
static void test_a_name_that_is_too_long_is_cut(void **state)
{
	char path[1100] = "/";
	struct cgroup_name name;

	(void)state;
	memset(path + 1, 'u', 1000);
	strcpy(path + 1001, ".service");
	cgroup_name_parse(&name, path, strlen(path));
	assert_int_equal(strlen(name.unit), CGROUP_NAME_BYTES - 1);
	strcpy(path, "/machine-");
	memset(path + 9, 'm', 1000);
	strcpy(path + 1009, ".scope");
	cgroup_name_parse(&name, path, strlen(path));
	assert_int_equal(strlen(name.container), CGROUP_NAME_BYTES - 1);
}

static void check_path(const char *text, const char *expected)
{
	size_t len;
	const char *path = cgroup_name_find_path(text, &len);

	if (!expected) {
		assert_null(path);
		return;
	}
	assert_non_null(path);
	if (len != strlen(expected) || memcmp(path, expected, len))
		fail_msg("%s: \"%.*s\"", text, (int)len, path);
}

static void test_version_2_has_one_line(void **state)
{
	(void)state;
	check_path("0::/user.slice/user-1000.slice/session-3.scope\n",
		   "/user.slice/user-1000.slice/session-3.scope");
	check_path("0::/\n", "/");
	check_path("0::/system.slice/gone.service (deleted)\n", "/system.slice/gone.service");
	check_path("0::/../other", "/../other");	/* outside of our namespace; no newline */
}

/* Docker on a machine with both versions, as reported of one (ctrsploit, issue 280). */
static void test_the_named_hierarchy_knows_what_version_2_does_not(void **state)
{
	(void)state;
	check_path("12:net_cls,net_prio:/docker/" ID "\n"
		   "10:rdma:/\n"
		   "2:cpu,cpuacct:/docker/" ID "\n"
		   "1:name=systemd:/docker/" ID "\n"
		   "0::/system.slice/containerd.service\n", "/docker/" ID);
}

static void test_version_1_without_systemd_is_asked_for_cpu_time(void **state)
{
	(void)state;
	check_path("9:name=systemd:/\n8:pids:/p\n4:memory:/m\n2:cpuacct:/docker/" ID "\n1:cpu:/\n"
		   "0::/\n", "/docker/" ID);
	check_path("5:perf_event:/a\n4:devices:/b\n", "/a");
	check_path("9:name=systemd:/\n4:memory:/m\n1:cpu:/\n0::/box\n", "/box");
	check_path("9:name=systemd:/\n4:memory:/m\n1:cpu:/\n0::/\n", "/");
}

static void test_other_text_has_no_path(void **state)
{
	(void)state;
	check_path("", NULL);
	check_path("\n\n", NULL);
	check_path("0:", NULL);
	check_path("0::", NULL);
	check_path("0::relative\n", NULL);
	check_path("7:freezer:/x\n", NULL);
	check_path("garbage\n0::/ok\n", "/ok");
	check_path("3:xcpu:/no\n4:cpu:/a:b\n", "/a:b");
}

UNIT_TESTS(test_cgroup_name)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units_of_systemd_are_the_innermost),
		cmocka_unit_test(test_docker_and_podman_containers_are_known_by_their_id),
		cmocka_unit_test(test_pods_of_kubernetes_have_a_uid_with_dashes),
		cmocka_unit_test(test_machines_have_names),
		cmocka_unit_test(test_what_only_looks_like_one_is_none),
		cmocka_unit_test(test_a_name_that_is_too_long_is_cut),
		cmocka_unit_test(test_version_2_has_one_line),
		cmocka_unit_test(test_the_named_hierarchy_knows_what_version_2_does_not),
		cmocka_unit_test(test_version_1_without_systemd_is_asked_for_cpu_time),
		cmocka_unit_test(test_other_text_has_no_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
